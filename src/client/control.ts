import type { Error as ErrorBody, paths, Side } from '../contract/generated/control.types.d.ts'
import { parseJson, stringifyJson } from '../contract/openapi/json.ts'
import { InvalidValue } from '../text/advised-error.ts'
import { errorCode } from '../text/error.ts'
import { withoutSlashes } from '../text/url.ts'
import { formatDuration } from '../time/duration.ts'
import { clearTimeout, setTimeout } from '../web/timers.ts'
import { CALLER_HEADER, CONTROL_PATH } from '../world/traffic/address.ts'
import { addressAdvice, certificateProblem } from '../world/traffic/connection-error.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import { ControlError, Unreachable } from './control-error.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

type PathWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends { readonly [_ in Lowercase<M>]: object } ? Path : never
}[keyof paths]

/** The parameters of an operation. The default namespace is that of the client. */
type Addressed<Operation> = Operation extends { readonly parameters: infer All }
  ? Pick<All, keyof All & ('path' | 'query')>
  : unknown

type Body<Operation> = {
  readonly [Part in keyof Operation as Part extends 'requestBody' ? 'body' : never]: JsonOf<
    NonNullable<Operation[Part]>
  >
}

/** The input of a call, typed by its operation. */
type Init<Operation> = Addressed<Operation> &
  Body<Operation> & {
    /** The default is application/json. */
    readonly accept?: string
  }

type InitArgument<Operation> =
  object extends Init<Operation> ? [init?: Init<Operation>] : [init: Init<Operation>]

interface Json<Value> {
  readonly content: { readonly 'application/json': Value }
}

type JsonOf<Content> = Content extends Json<infer V> ? V : never

type Successes<Value> = { readonly 200: Json<Value> } | { readonly 201: Json<Value> }

/** The JSON of an operation's successful response; undefined if it has no body. */
type Value<Operation> = Operation extends { readonly responses: Successes<infer V> } ? V : undefined

/** A response of the control API: its JSON as it was sent, and as a value in which integers may be bigints. */
export interface ControlResponse<V = unknown> {
  readonly text: string
  readonly value: V
  readonly headers: Headers
}

export type ControlCall = <M extends Method, Path extends PathWith<M>>(
  method: M,
  path: Path,
  ...init: InitArgument<paths[Path][Lowercase<M>]>
) => Promise<ControlResponse<Value<paths[Path][Lowercase<M>]>>>

/** A point of the history: before or after (the default) a request or a control call. */
interface Point {
  readonly at: string
  readonly side?: Side | undefined
}

/** The address of a sandbox, and a namespace in it. */
export interface ControlAddress {
  /** `http://localhost:4010`; its base URL (ending in /v1) and its control URL are accepted too. */
  readonly url: string
  readonly namespace: string
  readonly token?: string | undefined
  /** The point of the history that reads show; without it, the current state. */
  readonly point?: Point
  /** The time limit of one response over the network, in milliseconds: seeding a million pets takes a few seconds. */
  readonly timeout?: number
  /** The kind of client, for the history; the default is `module`. */
  readonly caller?: string
  /** Receives a notice if the sandbox does not answer for some seconds. */
  readonly onSilence?: (notice: string) => unknown
  /** The `fetch` of a sandbox in this process; without it, calls go over the network. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/** The client of the control API, for command line and module. */
export interface ControlClient {
  /** The origin of the sandbox: `http://localhost:4010`. */
  readonly origin: string
  readonly namespace: string
  /** A client for another namespace of the same sandbox. `timeout`: the limit of one response, in milliseconds. */
  in(namespace: string, timeout?: number): ControlClient
  /** A client that reads the state at a point of the history. */
  at(point: Point): ControlClient
  /** Rejects with a ControlError for an error response, with an Unreachable if no sandbox answers. */
  readonly call: ControlCall
  /** A document of the namespace, without the point of this client. */
  document(path: '/interface.json' | '/recording'): Promise<string>
  /** The events from now on, until the sandbox shuts down or `signal` aborts. */
  events(signal: AbortSignal): AsyncGenerator<ControlEvent>
}

export interface ControlEvent {
  readonly event: string | undefined
  readonly data: string
}

export function connectControl(address: ControlAddress): ControlClient {
  const { namespace, token, point, timeout = TIMEOUT, caller = 'module' } = address
  const isRemote = address.fetch === undefined
  const origin = sandboxOrigin(address.url)
  const within = <Value>(act: (signal?: AbortSignal) => Promise<Value>, waits = 0): Promise<Value> =>
    isRemote ? inTime(origin, act, timeout + waits) : act()

  async function send(method: string, path: string, sent: Sent, signal?: AbortSignal) {
    const { query, body, accept = 'application/json' } = sent
    const search = Object.entries({ namespace, ...query })
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => `${name}=${encoded(String(value))}`)
    const request = new Request(`${origin}${CONTROL_PATH}${path}?${search.join('&')}`, {
      method,
      headers: {
        accept,
        [CALLER_HEADER]: caller,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: stringifyJson(body) }),
    })
    const response = await (address.fetch?.(request) ?? overNetwork(origin, request, signal))
    if (response.ok) return response
    throw refusal(origin, response.status, await response.text())
  }

  let checked: Promise<string | undefined> | undefined
  /** The version of the sandbox. Checked once, over the network: other servers answer 200 with JSON too. */
  function checkSandbox(): Promise<string | undefined> {
    if (!isRemote) return Promise.resolve(undefined)
    checked ??= within(async (signal) => {
      const silent = setTimeout(() => {
        const words = `has not answered for ${formatDuration(SILENCE)}; waiting up to ${formatDuration(timeout)}`
        address.onSilence?.(`${origin} ${words}`)
      }, SILENCE)
      // A public sandbox accepts the token of a world for that world only.
      const query = { namespace: namespace === '*' ? DEFAULT_NAMESPACE : namespace }
      const response = await send('GET', '/health', { query }, signal)
        .catch((error: unknown) => {
          if (error instanceof ControlError && API_REFUSALS.includes(error.code))
            throw foreign(origin, error.status)
          throw error
        })
        .finally(() => clearTimeout(silent))
      const { status, version }: Record<string, unknown> = Object(parsed(origin, await response.text()))
      if (status !== 'ok' || typeof version !== 'string') throw foreign(origin, response.status)
      return version
    })
    return checked
  }

  return {
    origin,
    namespace,
    in: (other, limit = timeout) => connectControl({ ...address, namespace: other, timeout: limit }),
    at: (other) => connectControl({ ...address, point: other }),
    call: (async (method, path, { path: inPath, query, body, accept }: AnyInit = {}) => {
      let place: string = path
      for (const [name, value] of Object.entries(inPath ?? {})) {
        // `.` and `..` would make it the URL of another call.
        if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
          throw new InvalidValue(
            `${name}: "${value}" is not valid`,
            'use a text of at least one character, other than . and ..',
          )
        place = place.replace(`{${name}}`, encoded(value))
      }
      const version = await checkSandbox()
      const waits = Object(body).within === undefined ? 0 : LONGEST_WAIT
      const sent = { query: { ...query, ...(method === 'GET' && point) }, body, accept }
      return within(async (signal) => {
        const response = await send(method, place, sent, signal)
        const text = await response.text()
        return { text, value: text === '' ? undefined : parsed(origin, text), headers: response.headers }
      }, waits).catch((error: unknown) => {
        if (error instanceof ControlError && version !== undefined) error.sandboxVersion = version
        throw error
      })
    }) as ControlCall,
    async document(path) {
      await checkSandbox()
      return within(async (signal) => (await send('GET', path, {}, signal)).text())
    },
    async *events(signal) {
      await checkSandbox()
      // Loaded first: a body that nobody reads is cancelled when its response is garbage-collected.
      const { EventSourceParserStream } = await import('eventsource-parser/stream')
      const { status, headers, body } = await send('GET', '/events', { accept: EVENTS }, signal)
      if (!body || !headers.get('content-type')?.startsWith(EVENTS)) throw foreign(origin, status)
      const messages = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
      try {
        for await (const { event, data } of messages) yield { event, data }
      } catch (error) {
        if (signal.aborted) throw error
        throw new Unreachable(
          `The connection to ${origin} broke off (${reasonOf(error)})`,
          'Is the sandbox still running?',
        )
      }
    },
  }
}

/** The codes with which the Animal Store refuses a wrong path. */
const API_REFUSALS = ['route_not_found', 'missing_api_key', 'invalid_api_key']

const EVENTS = 'text/event-stream'

/** A text as a part of an address, which cannot have a lone surrogate. */
const encoded = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'))

/** `http://localhost:4010` for each address of a sandbox. */
export const sandboxOrigin = (url: string): string => withoutSlashes(url).replace(/\/(v1|_sandbox)$/, '')

interface Sent {
  readonly query?: object | undefined
  readonly body?: unknown
  readonly accept?: string | undefined
}

interface AnyInit extends Sent {
  readonly path?: object
}

/** A call whose method and path are known at run time only. */
export type AnyCall = (method: string, path: string, init?: AnyInit) => Promise<unknown>

export const anyCall =
  ({ call }: ControlClient): AnyCall =>
  async (...given) =>
    (await call(...(given as unknown as Parameters<ControlCall>))).value

/** Throws an Unreachable if no sandbox answers. */
function overNetwork(origin: string, request: Request, signal?: AbortSignal): Promise<Response> {
  return fetch(request, { signal: signal ?? null }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    const reason = reasonOf(error)
    const certificate = certificateProblem(reason)
    if (certificate)
      throw new Unreachable(`The certificate of ${origin} ${certificate.problem}`, certificate.fix)
    throw new Unreachable(
      `No sandbox answers at ${origin} (${reason})`,
      addressAdvice(reason, origin) ??
        `Start one with petstore-sandbox, or say where it is with --url or PETSTORE_SANDBOX_URL${proxyAdvice()}`,
    )
  })
}

/** With this variable, Node sends every fetch through the proxy of HTTP_PROXY, also those to this machine. */
const proxyAdvice = (): string =>
  process.env.NODE_USE_ENV_PROXY ? '. NODE_USE_ENV_PROXY is set: add the host of the sandbox to NO_PROXY' : ''

const TIMEOUT = 30_000

/** The longest time that the sandbox waits within a call, in milliseconds. */
const LONGEST_WAIT = 60_000

/** After this time without an answer, in milliseconds, a notice says what the command waits for. */
const SILENCE = 3000

async function inTime<Value>(
  origin: string,
  act: (signal: AbortSignal) => Promise<Value>,
  timeout: number,
): Promise<Value> {
  try {
    return await act(AbortSignal.timeout(timeout))
  } catch (error) {
    if (Object(error).name !== 'TimeoutError') throw error
    throw new Unreachable(
      `${origin} has not answered within ${formatDuration(timeout)}`,
      'Is it a sandbox? Say where it is with --url or PETSTORE_SANDBOX_URL',
    )
  }
}

/** The reason of a failed fetch: the cause of its error, or several errors in the cause. */
function reasonOf(error: unknown): string {
  const { cause = error } = Object(error)
  // The code of a DOMException, with which a proxy ends a connection, is 0.
  return errorCode(cause) || cause.message || cause.errors?.[0]?.message || 'no connection'
}

/** The error of a response. Other servers send JSON errors too. */
function refusal(origin: string, status: number, text: string): Error {
  const body: ErrorBody = Object(parsed(origin, text, status))
  const { code, message, status: said } = body
  const isOurs = typeof code === 'string' && typeof message === 'string' && said === status
  return isOurs ? new ControlError(body) : foreign(origin, status)
}

function parsed(origin: string, text: string, status = 200): unknown {
  try {
    return parseJson(text)
  } catch {
    throw foreign(origin, status)
  }
}

const foreign = (origin: string, status: number): Unreachable =>
  new Unreachable(
    `${origin} answers (${status}), but not as a sandbox does`,
    'Say where it is with --url or PETSTORE_SANDBOX_URL',
  )
