import type { Command } from 'commander'
import type { Io } from './io.ts'

/** The export of a command's file: it adds arguments, options, examples and the action. */
export interface CommandModule {
  register(command: Command, io: Io): void
}

export interface CommandRow {
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<CommandModule>
}

type Load = CommandRow['load']

const row = (name: string, summary: string, load: Load): CommandRow => ({ name, summary, load })

/** The commands, by the heading that they stand under; each is one file, loaded when it is called. */
export const COMMANDS: Readonly<Record<string, readonly CommandRow[]>> = {
  'Commands:': [
    row('start', 'start the sandbox (the default command)', () => import('./commands/start.ts')),
    row('stop', 'stop the background sandbox of this folder', () => import('./commands/stop.ts')),
    row(
      'exec',
      'start on a free port, run a command, show the report, exit with its code',
      () => import('./commands/exec.ts'),
    ),
    row('replay', 'repeat a recording and compare every reply', () => import('./commands/replay.ts')),
    row('contract', 'check a running service against the interface', () => import('./commands/contract.ts')),
    row(
      'proxy',
      'forward to a real service and validate requests and responses',
      () => import('./commands/proxy.ts'),
    ),
    row('generate', 'print generated pets as a fixture', () => import('./commands/generate.ts')),
    row('validate', 'check a fixture', () => import('./commands/validate.ts')),
    row(
      'decisions',
      'list the decisions with their effective values',
      () => import('./commands/decisions.ts'),
    ),
    row('spec', 'print the effective OpenAPI document', () => import('./commands/spec.ts')),
    row('mcp', 'offer tools for agents on stdio (model context protocol)', () => import('./commands/mcp.ts')),
    row('completion', 'print the completion script of a shell', () => import('./commands/completion.ts')),
  ],
  'Against a running sandbox:': [
    row('wait', 'wait until a sandbox is ready', () => import('./commands/wait.ts')),
    row('pets', 'list the pets', () => import('./commands/pets.ts')),
    row('seed', 'replace the pets, or add to them', () => import('./commands/seed.ts')),
    row('reset', 'go back to the start fixture', () => import('./commands/reset.ts')),
    row('snapshot', 'save, restore, list and delete snapshots', () => import('./commands/snapshot.ts')),
    row(
      'history',
      'list the points to which the namespace can be rewound',
      () => import('./commands/history.ts'),
    ),
    row('record', 'print a recording, from the start of the journal', () => import('./commands/record.ts')),
    row('rewind', 'go back to before a request', () => import('./commands/rewind.ts')),
    row('fork', 'copy the namespace, now or at an earlier point', () => import('./commands/fork.ts')),
    row('export', 'print the namespace as a fixture', () => import('./commands/export.ts')),
    row('diff', 'compare two states, or two recordings', () => import('./commands/diff.ts')),
    row('namespaces', 'list and drop namespaces', () => import('./commands/namespaces.ts')),
    row('keys', 'list, create and revoke API keys', () => import('./commands/keys.ts')),
    row(
      'limits',
      'show both windows and the ban of a key, without using quota',
      () => import('./commands/limits.ts'),
    ),
    row(
      'clock',
      'show, advance, set, freeze, resume and reset the clock',
      () => import('./commands/clock.ts'),
    ),
    row('faults', 'list, add, remove and clear fault rules', () => import('./commands/faults.ts')),
    row('holds', 'list and release requests that faults hold', () => import('./commands/holds.ts')),
    row('requests', 'show requests with their responses', () => import('./commands/requests.ts')),
    row('report', 'show the report on the client', () => import('./commands/report.ts')),
    row(
      'verify',
      'check how often matching requests were received; exit 3 if the check fails',
      () => import('./commands/verify.ts'),
    ),
  ],
}

export const COMMAND_ROWS: readonly CommandRow[] = Object.values(COMMANDS).flat()
