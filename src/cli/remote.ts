import { type Command, Option } from 'commander'
import { type ControlAnswer, type ControlClient, connectControl } from '../client/control.ts'
import { UsageError } from '../config/usage-error.ts'
import { NAMESPACE_FORM } from '../domain/key.ts'
import type { Io } from './io.ts'

export interface RemoteOptions {
  readonly url: string | undefined
  readonly namespace: string
  readonly controlToken: string | undefined
  readonly json: boolean | undefined
}

/** What a remote command has to say: the control API's JSON, and the same for people. */
export interface Told {
  readonly answer: ControlAnswer
  readonly people: string
}

/** Carries out a remote command: options and arguments as commander has read them. */
export type RemoteAction<Options, Args extends unknown[]> = (
  client: ControlClient,
  options: Options & RemoteOptions,
  ...args: Args
) => Promise<Told | undefined>

const DEFAULT_URL = 'http://localhost:4010'

/** Makes a command one that talks to a running sandbox: its options, and what is printed where. */
export function remote<Options = unknown, Args extends unknown[] = string[]>(
  command: Command,
  io: Io,
  action: RemoteAction<Options, Args>,
): Command {
  addAddress(command, `where the sandbox is (env: PETSTORE_SANDBOX_URL; default: ${DEFAULT_URL})`).option(
    '--json',
    'print the JSON of the control API',
  )
  return command.action(async (...given: unknown[]) => {
    const options = given.at(-2) as Options & RemoteOptions
    const told = await action(connect(options, io), options, ...(given.slice(0, -2) as Args))
    if (told) io.out(options.json ? lineOf(told.answer.text) : told.people)
  })
}

/** Options that say which sandbox is meant, and which namespace of it. */
export const addAddress = (command: Command, where: string): Command =>
  command
    .option('--url <url>', where)
    .addOption(new Option('--namespace <name>', 'namespace to act on').default('default'))
    .option('--control-token <token>', 'token of the control API (env: PETSTORE_SANDBOX_CONTROL_TOKEN)')

/** Of a command that asks a running sandbox only where `--url` names one: its client, and the other flags. */
export function askedOf(
  flags: Omit<RemoteOptions, 'json'>,
  io: Io,
): { client: ControlClient | undefined; others: Readonly<Record<string, unknown>> } {
  const { url, namespace, controlToken, ...others } = flags
  if (url === undefined) return { client: undefined, others }
  const [local] = Object.keys(others)
  if (local !== undefined) {
    throw new UsageError(
      `--url shows what the running sandbox at ${url} has, so nothing else can be set. Leave out --${local === 'decisions' ? 'set' : local}`,
    )
  }
  return { client: connect({ url, namespace, controlToken, json: undefined }, io), others }
}

function connect({ url: given, namespace, controlToken }: RemoteOptions, { env }: Io): ControlClient {
  const url = given ?? (env.PETSTORE_SANDBOX_URL || DEFAULT_URL)
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    const where = given === undefined ? 'PETSTORE_SANDBOX_URL' : '--url'
    throw new UsageError(`${where}: "${url}" is not a URL; use one such as ${DEFAULT_URL}`)
  }
  if (namespace !== '*' && !NAMESPACE_FORM.test(namespace)) {
    throw new UsageError(
      `--namespace: "${namespace}" is not a name of a namespace; use 1 to 64 of A-Z a-z 0-9 _ -`,
    )
  }
  return connectControl({
    url,
    namespace,
    token: controlToken ?? (env.PETSTORE_SANDBOX_CONTROL_TOKEN || undefined),
  })
}

const lineOf = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
