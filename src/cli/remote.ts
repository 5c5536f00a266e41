import { type ControlClient, type ControlResponse, connectControl } from '../client/control.ts'
import { namespaceOf, unknownNamespace } from '../client/namespace.ts'
import { refuseBaseUrl } from '../config/base-url.ts'
import { readToken } from '../config/readers.ts'
import { variableOf } from '../config/table.ts'
import { at, needs, UsageError } from '../config/usage-error.ts'
import type { Side } from '../contract/generated/control.types.d.ts'
import { InvalidValue } from '../text/advised-error.ts'
import { printableJson } from '../text/printable.ts'
import { type Cell, textTable } from '../views/text-table.ts'
import { readNamespace, splitToken } from '../world/keys/bearer-token.ts'
import { DEFAULT_ORIGIN } from '../world/traffic/address.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import {
  type CommandSpec,
  command,
  type Declared,
  type Given,
  type Io,
  several,
  type Takes,
  talkNotice,
} from './command.ts'
import { readPoint } from './values.ts'

export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** In place of an empty table, before "in namespace …". */
  readonly none?: string
}

/** The output for people. */
export type Output = string | Table | readonly (string | Table)[]

/** The JSON of the control API as it was sent, and its value. */
type Answer<V> = Pick<ControlResponse<V>, 'text' | 'value'>

/** The options that select a sandbox, a namespace and a point of its history. */
interface AddressGiven extends Partial<Given<typeof TOKEN & typeof POINT>> {
  readonly url?: string | readonly string[] | undefined
  readonly namespace: string
  readonly key?: string | undefined
  readonly json?: true | undefined
}

type OneAddress = AddressGiven & { readonly url?: string | undefined }

type RemoteGiven<T> = Given<T> & Omit<AddressGiven, 'url' | 'key'>

interface Context<T> {
  readonly client: ControlClient
  /** The clients of the addressed sandboxes: one, unless the command can address several. */
  readonly clients: readonly ControlClient[]
  readonly given: RemoteGiven<T>
  /** Whether `--namespace` was given. */
  readonly isNamed: boolean
  readonly io: Io
}

interface RemoteSpec<T extends Takes, V> extends Omit<CommandSpec<T>, 'run'> {
  /** The command only reads: an unknown namespace is refused instead of created. */
  readonly reads?: true | ((given: Given<T>) => boolean)
  /** The command can show an earlier point of the history. */
  readonly views?: true
  /** The suffix of its `key` also names the namespace. */
  readonly keyed?: true
  /** The command can address several sandboxes: `--url` is repeatable. */
  readonly several?: true
  /** Resolves to undefined if it has printed its result itself. */
  call(client: ControlClient, given: RemoteGiven<T>, context: Context<T>): Promise<Answer<V> | undefined>
  output(value: V, context: Context<T>): Output
}

export const ADDRESS_SOURCES = `(env: PETSTORE_SANDBOX_URL; default: ${DEFAULT_ORIGIN})`

/** A command that calls a running sandbox. It prints `output`, or with `--json` the JSON that `call` received. */
export const remote = <const T extends Takes, V>(spec: RemoteSpec<T, V>): Declared =>
  command({
    ...spec,
    takes: {
      ...spec.takes,
      ...address(
        spec.several
          ? { summary: `address of a sandbox; repeatable ${ADDRESS_SOURCES}`, read: several }
          : { summary: `address of the sandbox ${ADDRESS_SOURCES}`, read: singleUrl },
      ),
      '--json': `print the JSON of the control API${spec.several ? ', added up' : ''}`,
      ...(spec.views && POINT),
    },
    async run(all, io, command) {
      const isNamed = command.getOptionValueSource('namespace') !== 'default'
      const { clients, given } = await addressed(all as Given<T> & AddressGiven, spec, isNamed, io)
      const client = clients[0] as ControlClient
      const context = { client, clients, given, isNamed, io }
      const answer = await spec.call(client, given, context)
      if (!answer) return
      if (given.json) io.out(withNewline(printableJson(answer.text)))
      else print(spec.output(answer.value, context), client, io)
    },
  })

/** Commander would use the last of several. */
function singleUrl(url: string, before?: string): string {
  if (before === undefined || before === url) return url
  const use = 'call it once for each; report and namespaces take several'
  throw new InvalidValue('this command takes one sandbox', use)
}

/** The clients for the given sandboxes, namespace and point of the history. */
async function addressed<T extends Takes, V, G extends Given<T> & AddressGiven>(
  given: G,
  { reads, views, keyed }: RemoteSpec<T, V>,
  isNamed: boolean,
  io: Io,
): Promise<{ clients: readonly ControlClient[]; given: G }> {
  const { at, side, key, namespace } = given
  const urls = [given.url].flat()
  const healthIn = async (suffix: string) =>
    (await connect({ ...given, namespace: suffix, url: urls[0] }, io).call('GET', '/health')).value
  const isSplit = keyed && key !== undefined && (await namespaceOf(key, healthIn)) !== undefined
  const address = isSplit ? keyAddress(key, namespace, isNamed) : {}
  const found = urls.map((url) => connect({ ...given, ...address, url }, io))
  // The user may name one sandbox twice, as origin and as base URL.
  const distinct = [...new Map(found.map((client) => [client.origin, client])).values()]
  if (distinct.length > 1 && at !== undefined)
    throw new UsageError(
      '--at needs one --url: each sandbox has requests of its own',
      'Name one sandbox, or leave out --at',
    )
  if (views) refuseSideAlone(given)
  const isReading = typeof reads === 'function' ? reads(given) : reads
  const known = isReading ? await clientsWithNamespace(distinct) : distinct
  const clients = views && at !== undefined ? known.map((client) => client.at({ at, side })) : known
  return { clients, given: { ...given, ...address } }
}

function print(output: Output, { namespace }: ControlClient, io: Io): void {
  const where = namespace === '*' ? 'any namespace' : `namespace ${namespace}`
  for (const part of [output].flat() as readonly (string | Table)[]) {
    if (typeof part === 'string') io.out(part)
    else if (part.none !== undefined && part.rows.length === 0) io.out(`${part.none} in ${where}.\n`)
    else io.out(textTable(part.head, part.rows, io.paint.strong, io.columns))
  }
}

const CONTROL_TOKEN = variableOf('controlToken')

export const TOKEN = {
  '--control-token <token>': `token of the control API (env: ${CONTROL_TOKEN})`,
}

/** The options that select the sandbox and the namespace. */
export const address = <const Url>(url: Url) => ({
  '--url <url>': url,
  '--namespace <name>': {
    summary: 'namespace to act on',
    default: 'default',
    read: (name: string) => (name === '*' ? name : readNamespace(name)),
  },
  ...TOKEN,
})

/** The option that selects the state before or after a point. */
export const side = (unlessGiven: Side) => ({
  '--side <side>': {
    summary: `state before or after that point (default: ${unlessGiven})`,
    choices: ['before', 'after'] as const,
  },
})

export const POINT = {
  '--at <request>': { summary: 'the state at this request or control call (see history)', read: readPoint },
  ...side('after'),
}

/** Throws a UsageError for a side of no point. */
export function refuseSideAlone({ at, side }: Partial<Given<typeof POINT>>): void {
  if (side !== undefined && at === undefined) throw needs('--side', '--at <request>')
}

/** The client for `--url`, and the other options. For a command that calls a running sandbox only with `--url`. */
export function clientByUrl({ url, namespace, controlToken, ...others }: OneAddress, io: Io) {
  if (url === undefined) {
    if (namespace === DEFAULT_NAMESPACE) return { client: undefined, others }
    throw needs('--namespace', '--url <url>')
  }
  const [local] = Object.keys(others)
  if (local !== undefined)
    throw new UsageError(
      `--url reads from the running sandbox at ${url}; --${local} has no effect on it`,
      'Leave out one of the two',
    )
  return { client: connect({ url, namespace, controlToken }, io), others }
}

/**
 * The namespace that a key names, and the key without its suffix. `isNamed`: whether `--namespace` was given; a
 * UsageError is thrown if it names another one.
 */
export function keyAddress(given: string, namespace: string, isNamed: boolean) {
  const { key, namespace: suffix = namespace } = splitToken(given)
  if (suffix === namespace) return { namespace, key }
  // The sandbox searches all namespaces for *.
  if (namespace === '*') return { namespace, key: given }
  if (isNamed)
    throw new UsageError(
      `--namespace is ${namespace}, but the key ${given} names the namespace ${suffix}`,
      `Leave out --namespace, or .${suffix}`,
    )
  return { namespace: suffix, key }
}

/** The clients whose sandboxes have the namespace. Throws a UsageError if none has it. */
async function clientsWithNamespace(clients: readonly ControlClient[]): Promise<readonly ControlClient[]> {
  const namespace = clients[0]?.namespace ?? DEFAULT_NAMESPACE
  if (namespace === '*' || namespace === DEFAULT_NAMESPACE) return clients
  // With the namespace in the query, a load balancer finds its process. The call does not create the namespace.
  const answers = await Promise.all(clients.map((client) => client.call('GET', '/namespaces')))
  const lists = answers.map(({ value }) => value)
  const having = clients.filter((_, i) => lists[i]?.some(({ name }) => name === namespace))
  if (having.length > 0) return having
  const { problem, fix } = unknownNamespace(namespace, lists.flat())
  throw new UsageError(problem, fix)
}

/** The address of the sandbox and its control token, from options or environment. Throws a UsageError. */
export function addressOf({ url: given, controlToken }: Omit<OneAddress, 'namespace'>, { env }: Io) {
  const url = given ?? (env.PETSTORE_SANDBOX_URL || DEFAULT_ORIGIN)
  refuseBaseUrl(url, given === undefined ? 'PETSTORE_SANDBOX_URL: ' : '--url: ')
  const token = controlToken ?? (env[CONTROL_TOKEN] || undefined)
  // The error of fetch about an invalid header field would show the token.
  if (token !== undefined)
    at(controlToken === undefined ? CONTROL_TOKEN : '--control-token', () => readToken(token))
  return { url, token }
}

function connect(given: OneAddress, io: Io): ControlClient {
  // For somebody who waits: with --json, a script reads stderr.
  const onSilence = (notice: string) => io.talksToTerminal && talkNotice(notice, io)
  const address = { ...addressOf(given, io), namespace: given.namespace, caller: 'command line' }
  return connectControl({ ...address, onSilence })
}

const withNewline = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
