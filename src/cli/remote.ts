import { type Command, Option } from 'commander'
import { atPoint } from '../client/at-point.ts'
import type { ControlCall, ControlResponse } from '../client/call.ts'
import { type ControlClient, connectControl } from '../client/control.ts'
import { unknownNamespace } from '../client/unknown-namespace.ts'
import { UsageError } from '../config/usage-error.ts'
import type { Side } from '../contract/generated/control.types.d.ts'
import { printableJson } from '../text/printable.ts'
import { NAMESPACE_FORM } from '../world/keys/key.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import type { Io } from './io.ts'

interface AddressOptions {
  readonly namespace: string
  readonly controlToken: string | undefined
  readonly json: boolean | undefined
  /** A point of history, where the command can show what was. */
  readonly at?: string
  readonly side?: Side
}

export interface RemoteOptions extends AddressOptions {
  readonly url: string | undefined
}

/** The output of a remote command: the JSON of the control API, and the same for people. */
export interface RemoteOutput {
  readonly answer: Pick<ControlResponse, 'text'>
  readonly people: string
}

/** Executes a remote command; options and arguments are those that commander parsed. */
export type RemoteAction<Options, Args extends unknown[]> = (
  client: ControlClient,
  options: Options & RemoteOptions,
  ...args: Args
) => Promise<RemoteOutput | undefined>

const DEFAULT_URL = 'http://localhost:4010'

/**
 * Adds to a command the options that address a running sandbox, and prints what `action` returns. `reads`: the command
 * only reads, so an unknown namespace is refused instead of created. `views`: it can show an earlier point of history.
 */
export function remote<Options = unknown, Args extends unknown[] = string[]>(
  command: Command,
  io: Io,
  action: RemoteAction<Options, Args>,
  { reads = false, views = false }: { readonly reads?: boolean; readonly views?: boolean } = {},
): Command {
  addAddress(command, `where the sandbox is (env: PETSTORE_SANDBOX_URL; default: ${DEFAULT_URL})`).option(
    '--json',
    'print the JSON of the control API',
  )
  if (views) addPoint(command)
  return command.action(async (...given: unknown[]) => {
    const options = given.at(-2) as Options & RemoteOptions
    const connected = connect(options, io)
    const known = reads ? onlyKnown(connected) : connected
    const client = views ? viewing(known, options) : known
    print(await action(client, options, ...(given.slice(0, -2) as Args)), options, io)
  })
}

/** The same for several sandboxes: `--url` is repeatable, and `action` gets one client for each. */
export function remoteToSeveral<Args extends unknown[] = []>(
  command: Command,
  io: Io,
  action: (clients: readonly ControlClient[], ...args: Args) => Promise<RemoteOutput>,
  { reads = false, views = false }: { readonly reads?: boolean; readonly views?: boolean } = {},
): Command {
  const where = `where a sandbox is; repeatable (env: PETSTORE_SANDBOX_URL; default: ${DEFAULT_URL})`
  const addUrl = (url: string, urls: readonly string[] = []) => [...urls, url]
  addNamespaceAndToken(command.option('--url <url>', where, addUrl)).option(
    '--json',
    'print the JSON of the control API, added up',
  )
  if (views) addPoint(command)
  return command.action(async (...given: unknown[]) => {
    const options = given.at(-2) as AddressOptions & { readonly url?: readonly string[] }
    const clients = (options.url ?? [undefined]).map((url) => connect({ ...options, url }, io))
    // The same sandbox may be named twice, as an origin and as a base URL.
    const distinct = [...new Map(clients.map((client) => [client.origin, client])).values()]
    if (distinct.length > 1 && options.at !== undefined)
      throw new UsageError(
        '--at needs one --url: each sandbox has requests of its own',
        'Name one sandbox, or leave out --at',
      )
    const known = reads ? await clientsWithNamespace(distinct) : distinct
    const asked = views ? known.map((client) => viewing(client, options)) : known
    print(await action(asked, ...(given.slice(0, -2) as Args)), options, io)
  })
}

function print(output: RemoteOutput | undefined, { json }: AddressOptions, io: Io): void {
  if (output) io.out(json ? withNewline(printableJson(output.answer.text)) : output.people)
}

/** Options that say which sandbox is meant, and which namespace of it. */
export const addAddress = (command: Command, where: string): Command =>
  addNamespaceAndToken(command.option('--url <url>', where))

const addNamespaceAndToken = (command: Command): Command =>
  command
    .addOption(new Option('--namespace <name>', 'namespace to act on').default('default'))
    .option('--control-token <token>', 'token of the control API (env: PETSTORE_SANDBOX_CONTROL_TOKEN)')

/** For a command that calls a running sandbox only with `--url`: the client for it, and the other flags. */
export function askedOf(
  flags: Omit<RemoteOptions, 'json'>,
  io: Io,
): { client: ControlClient | undefined; others: Readonly<Record<string, unknown>> } {
  const { url, namespace, controlToken, ...others } = flags
  if (url === undefined) return { client: undefined, others }
  const [local] = Object.keys(others)
  if (local !== undefined) {
    throw new UsageError(
      `--url reads from the running sandbox at ${url}; --${local === 'decisions' ? 'set' : local} has no effect on it`,
      'Leave out one of the two',
    )
  }
  return { client: connect({ url, namespace, controlToken, json: undefined }, io), others }
}

/** Adds `--at` and `--side`: a point of history whose state is shown. */
function addPoint(command: Command): void {
  command.option('--at <request>', 'show the state at that point; history lists the points')
  addSide(command, 'after')
}

/** Adds `--side`: the state before a point of history, or after it. */
export const addSide = (command: Command, unlessGiven: Side): Command =>
  command.addOption(
    new Option('--side <side>', `state before or after that point (default: ${unlessGiven})`).choices([
      'before',
      'after',
    ]),
  )

function viewing(client: ControlClient, { at, side }: Pick<AddressOptions, 'at' | 'side'>): ControlClient {
  if (at !== undefined) return atPoint(client, { at, ...(side && { side }) })
  if (side !== undefined) throw new UsageError('--side needs --at <request>', 'Add it, or leave out --side')
  return client
}

/** The same client; before its first call it checks that the namespace exists. */
export function onlyKnown(client: ControlClient): ControlClient {
  let checked: Promise<void> | undefined
  const check = () => {
    checked ??= clientsWithNamespace([client]).then(() => {})
    return checked
  }
  return {
    origin: client.origin,
    namespace: client.namespace,
    in: (other) => onlyKnown(client.in(other)),
    call: (async (...call) => {
      await check()
      return client.call(...call)
    }) as ControlCall,
    async document(path) {
      await check()
      return client.document(path)
    },
    async *events(signal) {
      await check()
      yield* client.events(signal)
    },
  }
}

/** The clients of those sandboxes that have the namespace; throws a UsageError if none has. */
async function clientsWithNamespace(clients: readonly ControlClient[]): Promise<ControlClient[]> {
  const found = await Promise.all(
    clients.map(async (client) => {
      const { namespace } = client
      if (namespace === '*' || namespace === DEFAULT_NAMESPACE) return { client, names: [namespace] }
      // The query names the namespace so that a load balancer finds its process. The call does not create it.
      const { value } = await client.call('GET', '/namespaces')
      return { client, names: value.map(({ name }) => name) }
    }),
  )
  const having = found.filter(({ client, names }) => names.includes(client.namespace))
  if (having.length === 0) {
    const names = new Set(found.flatMap(({ names }) => names))
    throw new UsageError(unknownNamespace(found[0]?.client.namespace ?? '', [...names]))
  }
  return having.map(({ client }) => client)
}

function connect({ url: given, namespace, controlToken }: RemoteOptions, { env }: Io): ControlClient {
  const url = given ?? (env.PETSTORE_SANDBOX_URL || DEFAULT_URL)
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    const where = given === undefined ? 'PETSTORE_SANDBOX_URL' : '--url'
    throw new UsageError(
      `${where}: "${url}" is not a valid URL`,
      `use an HTTP address such as ${DEFAULT_URL}`,
    )
  }
  if (namespace !== '*' && !NAMESPACE_FORM.test(namespace)) {
    throw new UsageError(
      `--namespace: "${namespace}" is not a valid namespace`,
      'use 1 to 64 of A-Z a-z 0-9 _ -',
    )
  }
  return connectControl({
    url,
    namespace,
    token: controlToken ?? (env.PETSTORE_SANDBOX_CONTROL_TOKEN || undefined),
  })
}

const withNewline = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
