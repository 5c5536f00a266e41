import type { Command } from 'commander'
import type { Io } from './io.ts'

/** What the file of a command exports: it adds arguments, options, examples and the action. */
export interface CommandModule {
  register(command: Command, io: Io): void
}

export interface CommandRow {
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<CommandModule>
}

/** The commands, by the heading that they stand under; each is one file, loaded when it is called. */
export const COMMANDS: Readonly<Record<string, readonly CommandRow[]>> = {
  'Commands:': [
    {
      name: 'start',
      summary: 'start the sandbox (the default command)',
      load: () => import('./commands/start.ts'),
    },
    {
      name: 'stop',
      summary: 'stop the background sandbox of this folder',
      load: () => import('./commands/stop.ts'),
    },
    {
      name: 'exec',
      summary: 'start on a free port, run a command, show the report, exit with its code',
      load: () => import('./commands/exec.ts'),
    },
    {
      name: 'replay',
      summary: 'repeat a recording and compare every reply',
      load: () => import('./commands/replay.ts'),
    },
    {
      name: 'contract',
      summary: 'check a running service against the interface',
      load: () => import('./commands/contract.ts'),
    },
    {
      name: 'proxy',
      summary: 'forward to a real service and validate requests and responses',
      load: () => import('./commands/proxy.ts'),
    },
    {
      name: 'generate',
      summary: 'print generated pets as a fixture',
      load: () => import('./commands/generate.ts'),
    },
    { name: 'validate', summary: 'check a fixture', load: () => import('./commands/validate.ts') },
    {
      name: 'decisions',
      summary: 'list the decisions with their effective values',
      load: () => import('./commands/decisions.ts'),
    },
    {
      name: 'spec',
      summary: 'print the effective OpenAPI document',
      load: () => import('./commands/spec.ts'),
    },
    {
      name: 'mcp',
      summary: 'offer tools for agents on stdio (model context protocol)',
      load: () => import('./commands/mcp.ts'),
    },
    {
      name: 'completion',
      summary: 'print the completion script of a shell',
      load: () => import('./commands/completion.ts'),
    },
  ],
  'Against a running sandbox:': [
    { name: 'wait', summary: 'wait until a sandbox is ready', load: () => import('./commands/wait.ts') },
    { name: 'pets', summary: 'list the pets', load: () => import('./commands/pets.ts') },
    { name: 'seed', summary: 'replace the pets, or add to them', load: () => import('./commands/seed.ts') },
    { name: 'reset', summary: 'go back to the start fixture', load: () => import('./commands/reset.ts') },
    {
      name: 'snapshot',
      summary: 'save, restore, list and delete snapshots',
      load: () => import('./commands/snapshot.ts'),
    },
    {
      name: 'history',
      summary: 'list the points to which the namespace can be rewound',
      load: () => import('./commands/history.ts'),
    },
    {
      name: 'record',
      summary: 'print a recording, from the start of the journal',
      load: () => import('./commands/record.ts'),
    },
    {
      name: 'rewind',
      summary: 'go back to before a request',
      load: () => import('./commands/rewind.ts'),
    },
    {
      name: 'fork',
      summary: 'copy the namespace, now or at an earlier point',
      load: () => import('./commands/fork.ts'),
    },
    {
      name: 'export',
      summary: 'print the namespace as a fixture',
      load: () => import('./commands/export.ts'),
    },
    {
      name: 'diff',
      summary: 'compare two states, or two recordings',
      load: () => import('./commands/diff.ts'),
    },
    {
      name: 'namespaces',
      summary: 'list and drop namespaces',
      load: () => import('./commands/namespaces.ts'),
    },
    { name: 'keys', summary: 'list, create and revoke API keys', load: () => import('./commands/keys.ts') },
    {
      name: 'limits',
      summary: 'show both windows and the ban of a key, without using quota',
      load: () => import('./commands/limits.ts'),
    },
    {
      name: 'clock',
      summary: 'show, advance, set, freeze, resume and reset the clock',
      load: () => import('./commands/clock.ts'),
    },
    {
      name: 'faults',
      summary: 'list, add, remove and clear fault rules',
      load: () => import('./commands/faults.ts'),
    },
    {
      name: 'holds',
      summary: 'list and release requests that faults hold',
      load: () => import('./commands/holds.ts'),
    },
    {
      name: 'requests',
      summary: 'show requests with their responses',
      load: () => import('./commands/requests.ts'),
    },
    {
      name: 'report',
      summary: 'show the report on the client',
      load: () => import('./commands/report.ts'),
    },
    {
      name: 'verify',
      summary: 'check how often matching requests were received; exit 3 if the check fails',
      load: () => import('./commands/verify.ts'),
    },
  ],
}

export const COMMAND_ROWS: readonly CommandRow[] = Object.values(COMMANDS).flat()
