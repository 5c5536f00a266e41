import type { ErrorBody } from '../domain/api-error.ts'
import { withoutSlashes } from '../domain/text/without-slashes.ts'
import { DEFAULT_NAMESPACE } from '../domain/world/worlds.ts'
import { parseJson } from '../openapi/json.ts'
import { type ControlRequest, controlRequest } from './control-request.ts'
import { ControlError } from './world.ts'

/** Where a running sandbox is, and which of its worlds is meant. */
export interface ControlAddress {
  /** `http://localhost:4010`; its base URL (ending in /v1) and its control URL will do as well. */
  readonly url: string
  readonly namespace: string
  readonly token?: string | undefined
}

/** What the control API answered: its JSON as it was sent and as a value, in which integers may be bigints. */
export interface ControlResponse {
  readonly text: string
  readonly value: unknown
  readonly headers?: Headers
}

/** The client of a running sandbox that the remote commands are made of. */
export interface ControlClient {
  readonly namespace: string
  /** The same sandbox, another of its worlds. */
  in(namespace: string): ControlClient
  /** Rejects with a ControlError where the sandbox refuses, with an Unreachable where there is none. */
  call(method: string, path: string, request?: ControlRequest): Promise<ControlResponse>
  /** A document of the sandbox outside the control API, such as `/openapi.yaml`, as it is in the namespace. */
  document(path: string): Promise<string>
  /** What happens from now on, until the sandbox ends or `signal` aborts. */
  events(signal: AbortSignal): AsyncGenerator<ControlEvent>
}

export interface ControlEvent {
  readonly event: string | undefined
  readonly data: string
}

/** No sandbox answers there. The message is for people. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** How long one answer may take, in milliseconds: seeding a million animals takes a few seconds. */
const PATIENCE = 30_000

export function connectControl(address: ControlAddress): ControlClient {
  const { url, namespace, token } = address
  const origin = withoutSlashes(url).replace(/\/(v1|_sandbox)$/, '')

  async function send(
    method: string,
    path: string,
    request: ControlRequest,
    signal?: AbortSignal,
  ): Promise<Response> {
    const query = { namespace, ...request.query }
    const [target, init] = controlRequest(origin, token, method, path, { ...request, query })
    const response = await reach(origin, target, { ...init, ...(signal && { signal }) })
    if (response.ok) return response
    throw refusal(origin, response.status, await response.text())
  }

  let checked: Promise<void> | undefined
  /** Once: others answer in JSON too, and with 200. */
  function checkSandbox(): Promise<void> {
    checked ??= inTime(origin, async (signal) => {
      const response = await send('GET', '/health', { query: { namespace: DEFAULT_NAMESPACE } }, signal)
      const { status, version } = (parsed(origin, await response.text()) ?? {}) as Record<string, unknown>
      if (status !== 'ok' || typeof version !== 'string') throw foreign(origin, response.status)
    })
    return checked
  }

  return {
    namespace,
    in: (other) => connectControl({ ...address, namespace: other }),
    async call(method, path, request = {}) {
      await checkSandbox()
      return inTime(
        origin,
        async (signal) => {
          const response = await send(method, path, request, signal)
          const text = await response.text()
          return { text, value: text === '' ? undefined : parsed(origin, text), headers: response.headers }
        },
        request.waits,
      )
    },
    async document(path) {
      await checkSandbox()
      const target = `${origin}${path}?namespace=${encodeURIComponent(namespace)}`
      return inTime(origin, async (signal) => {
        const response = await reach(origin, target, { signal })
        const text = await response.text()
        if (!response.ok) throw refusal(origin, response.status, text)
        return text
      })
    },
    async *events(signal) {
      await checkSandbox()
      const { body, headers, status } = await send('GET', '/events', { accept: 'text/event-stream' }, signal)
      if (!body || !headers.get('content-type')?.startsWith('text/event-stream'))
        throw foreign(origin, status)
      const { EventSourceParserStream } = await import('eventsource-parser/stream')
      const messages = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
      try {
        for await (const { event, data } of messages) yield { event, data }
      } catch (error) {
        if (signal.aborted) throw error
        throw new Unreachable(
          `The connection to ${origin} broke off (${reasonOf(error)}). Is the sandbox still running?`,
        )
      }
    },
  }
}

/** Gives up on a sandbox that says nothing. */
async function inTime<Value>(
  origin: string,
  act: (signal: AbortSignal) => Promise<Value>,
  waits = 0,
): Promise<Value> {
  try {
    return await act(AbortSignal.timeout(waits + PATIENCE))
  } catch (error) {
    if ((error as Error).name !== 'TimeoutError') throw error
    throw new Unreachable(
      `${origin} has not answered within ${(waits + PATIENCE) / 1000} s. Is it a sandbox? Say where it is with --url or PETSTORE_SANDBOX_URL`,
    )
  }
}

async function reach(origin: string, target: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(target, init)
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new Unreachable(
      `No sandbox answers at ${origin} (${reasonOf(error)}). Start one with petstore-sandbox, or say where it is with --url or PETSTORE_SANDBOX_URL`,
    )
  }
}

/** fetch hides what happened in the cause of its error, and of several attempts in that one's errors. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as Error
  const { code, message, errors } = cause as NodeJS.ErrnoException & { errors?: Error[] }
  return code ?? (message || errors?.[0]?.message) ?? 'no connection'
}

function refusal(origin: string, status: number, text: string): Error {
  const value = parsed(origin, text, status)
  return isErrorBody(value, status) ? new ControlError(value) : foreign(origin, status)
}

function parsed(origin: string, text: string, status = 200): unknown {
  try {
    return parseJson(text)
  } catch {
    throw foreign(origin, status)
  }
}

/** The shape that every error of a sandbox has; others have errors in JSON too. */
function isErrorBody(value: unknown, status: number): value is ErrorBody {
  const { code, message, status: said } = (value ?? {}) as Partial<ErrorBody>
  return typeof code === 'string' && typeof message === 'string' && said === status
}

const foreign = (origin: string, status: number): Unreachable =>
  new Unreachable(
    `${origin} answers (${status}), but not as a sandbox does. Say where it is with --url or PETSTORE_SANDBOX_URL`,
  )
