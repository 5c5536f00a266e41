import type { Declared } from './command.ts'

/** A command, and the file that exports it. The file is loaded when the command is called. */
const row = <Name extends string>(
  name: Name,
  summary: string,
  load: () => Promise<Readonly<Record<Name, Declared>>>,
) => ({ name, summary, load: async (): Promise<Declared> => (await load())[name] })

type CommandRow = ReturnType<typeof row>

const exec = () => import('./commands/exec.ts')
const proxy = () => import('./commands/proxy.ts')
const deploy = () => import('./commands/deploy.ts')
const effective = () => import('./commands/effective.ts')
const fixtures = () => import('./commands/fixtures.ts')
const world = () => import('./commands/world.ts')
const keys = () => import('./commands/keys.ts')
const faults = () => import('./commands/faults.ts')
const requests = () => import('./commands/requests.ts')

/** The commands by heading. */
export const COMMANDS: Readonly<Record<string, readonly CommandRow[]>> = {
  'Commands:': [
    row('start', 'start the sandbox (the default command)', () => import('./commands/start.ts')),
    row('stop', 'stop the background sandbox of this folder', () => import('./commands/stop.ts')),
    row('exec', 'start a sandbox, run a command, print a report, and exit with its code', exec),
    row('replay', 'replay a recording and compare every response', () => import('./commands/replay.ts')),
    row('contract', 'check a running service against the interface', () => import('./commands/contract.ts')),
    row('proxy', 'forward to a real service and validate requests and responses', proxy),
    row('generate', 'print generated pets as a fixture', fixtures),
    row('validate', 'check a fixture', fixtures),
    row('decisions', 'list the decisions (what the interface leaves open) and their values', effective),
    row('spec', 'print the effective OpenAPI document', effective),
    row('deploy', 'write the files to run the sandbox on Cloudflare or on your own machines', deploy),
    row('mcp', 'serve tools for agents over stdio (MCP)', () => import('./commands/mcp.ts')),
    row('completion', 'print the completion script of a shell', () => import('./commands/completion.ts')),
  ],
  'Against a running sandbox:': [
    row('wait', 'wait until a sandbox is ready', world),
    row('pets', 'list the pets', world),
    row('seed', 'replace the pets, or add to them', fixtures),
    row('reset', 'reset to the start fixture', world),
    row('snapshot', 'save, restore, list and delete snapshots', world),
    row('history', 'list the requests and control calls that rewind accepts', world),
    row('record', 'print a recording of the requests in the journal', world),
    row('rewind', 'restore the state before a request or control call', world),
    row('fork', 'copy the namespace, now or at an earlier point', world),
    row('export', 'print the namespace as a fixture', fixtures),
    row('diff', 'compare two states, or two recordings', () => import('./commands/diff.ts')),
    row('namespaces', 'list and drop namespaces', () => import('./commands/namespaces.ts')),
    row('keys', 'list, create and revoke API keys', keys),
    row('limits', 'show or change the limits and the ban of a key; uses no quota', keys),
    row('clock', 'show, advance, set, freeze, resume and reset the clock', world),
    row('faults', 'list, add, remove and clear fault rules', faults),
    row('holds', 'list and release held requests', faults),
    row('requests', 'list requests and their responses', requests),
    row('report', 'show the report on the client', requests),
    row('verify', 'check how many requests match; exit with 3 if the check fails', requests),
  ],
}

export const COMMAND_ROWS: readonly CommandRow[] = Object.values(COMMANDS).flat()
