import { inMiB } from '../text/in-thousands.ts'
import { statusText } from '../text/status-text.ts'
import { encodeUtf8 } from '../text/utf8.ts'
import {
  fieldPairs,
  type Handle,
  isRead,
  type Request as PlainRequest,
  type Reply,
} from '../world/traffic/message.ts'
import { createBacklog, FELL_BEHIND, MAX_BACKLOG } from './backlog.ts'
import { bodies } from './bodies.ts'
import { clearInterval, LONGEST_TIMER, setInterval, setTimeout } from './timers.ts'

/** The type from the DOM or from Node; in a project with neither, their common subset. */
export type SandboxFetch = typeof globalThis extends { fetch: infer Known } ? Known : BareFetch

type BareFetch = (input: string, init?: BareInit) => Promise<BareResponse>

interface BareInit {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

interface BareResponse {
  readonly ok: boolean
  readonly status: number
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
  json(): Promise<unknown>
}

/**
 * `fetch` without a socket. Takes a path (`/v1/pets`), or the path and query of an absolute URL. A wire fault rejects
 * like a broken connection. `shutdown`: ends streams when it aborts.
 */
export function createFetch(
  handle: Handle,
  bodyLimit: (head: PlainRequest) => number | undefined,
  shutdown: AbortSignal,
): SandboxFetch {
  return async (input, init) => {
    const path = typeof input === 'string' && input.startsWith('/') ? input : undefined
    const request = new Request(path === undefined ? input : `http://localhost${path}`, init)
    request.signal.throwIfAborted()
    if (shutdown.aborted) throw closedError()
    const head = headOf(request, path)
    // Without a body it is handled in the turn of the call, so that calls keep their order. In Firefox, `body` is undefined.
    const { signal, body: given = isRead(head) ? null : (await request.blob()).stream() } = request
    const sent = init?.body === '' ? null : given
    const body = sent ? await orAborted(readBody(cancelledBy(signal, sent), bodyLimit(head)), signal) : {}
    // The sandbox may have been closed while the body was read.
    if (shutdown.aborted) throw closedError()
    const answered = Promise.resolve(handle({ ...head, ...body }))
    return responseOf(await orAborted(answered, signal), signal, shutdown)
  }
}

/** The chunks of a body. An abort cancels its source, as `fetch` does, since that may wait for a reader. */
function cancelledBy(signal: AbortSignal, body: ReadableStream<Uint8Array>) {
  const reader = body.getReader()
  onAbort(signal, () => void reader.cancel(signal.reason).catch(() => {}), { once: true })
  async function* chunks() {
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        yield value
      }
    } finally {
      await reader.cancel()
    }
  }
  return Object.assign(chunks(), { cancel: () => reader.cancel() })
}

/** The head of a request that another server has received. */
export const receivedHead = (request: Request, address: string | undefined): PlainRequest => ({
  ...headOf(request),
  ...(request.url.startsWith('https:') && { scheme: 'https' }),
  address,
})

/** `path`: the target, if it is not that of the URL. */
export function headOf(request: Request, path?: string): PlainRequest {
  const { host, pathname, search } = new URL(request.url)
  const target = path ?? pathname + search
  return {
    method: request.method,
    target: target.split('#', 1)[0] ?? '',
    headers: [...request.headers].flat().concat(request.headers.has('host') ? [] : ['host', host]),
    body: undefined,
    tooLarge: false,
    address: undefined,
    onGone: (act) => {
      request.signal.addEventListener('abort', act, { once: true })
      return () => request.signal.removeEventListener('abort', act)
    },
  }
}

/** Reads a body up to `limit` bytes, and discards the rest of a longer one. Undefined: it is not needed, and not read. */
export async function readBody(
  stream: AsyncIterable<Uint8Array> & { readonly cancel?: () => Promise<void> },
  limit: number | undefined,
): Promise<Partial<Pick<PlainRequest, 'body' | 'tooLarge'>>> {
  if (limit === undefined) {
    stream.cancel?.().catch(() => {})
    return { tooLarge: true }
  }
  let chunks: Uint8Array[] | undefined = []
  let size = 0
  const cutOff = () => {
    chunks = undefined
    bodies.forget(stream)
  }
  try {
    for await (const chunk of stream) {
      size += chunk.length
      if (size > limit) return { tooLarge: true }
      // The rest is discarded: a client that cannot send it may not receive the answer.
      if (!chunks) continue
      chunks.push(chunk)
      bodies.count(stream, size, cutOff)
    }
    if (!chunks) throw cutOffError()
  } finally {
    bodies.forget(stream)
  }
  const body = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk, at)
    at += chunk.length
  }
  return { body }
}

/** The name of the error of a request whose body was cut off, by which the Worker knows it. */
export const CUT_OFF = 'CutOff'

/** The reason why a body was cut off. */
export const tooManyBodies = (): string =>
  `the bodies of all requests take more than ${inMiB(bodies.limit)}; send fewer at a time`

const cutOffError = (): TypeError =>
  Object.assign(new TypeError(`The body was cut off: ${tooManyBodies()}.`), { name: CUT_OFF })

/** The error of a request to a sandbox that was closed. */
export const closedError = (): TypeError => new TypeError('fetch failed: the sandbox is closed')

/** A reply as a Response; a wire fault rejects like a broken connection. */
export async function responseOf(
  reply: Reply,
  signal: AbortSignal,
  shutdown: AbortSignal,
): Promise<Response> {
  // In the next turn, the reader has received the previous part.
  if (reply.onSent) setTimeout(reply.onSent)
  if (reply.wire === 'hang') return hanging(signal, shutdown)
  // MSW treats an error with a code and an errno as a broken connection, and any other error as a response 500.
  if (reply.wire) throw Object.assign(new TypeError('fetch failed'), { code: 'ECONNRESET', errno: -104 })
  return withHead(reply, bodyOf(reply, signal, shutdown))
}

/** Rejects when the request is aborted or the sandbox is closed. Keeps a process alive, as an open connection does. */
function hanging(signal: AbortSignal, shutdown: AbortSignal): Promise<never> {
  const stay = setInterval(() => {}, LONGEST_TIMER)
  const closed = new Promise<never>((_, reject) => {
    onAbort(shutdown, () => reject(closedError()), { once: true, signal })
  })
  return orAborted(closed, signal).finally(() => clearInterval(stay))
}

/** A Response whose body fails half-way, so that the host server closes the connection. */
export function brokenOff(reply: Reply): Response {
  if (reply.onSent) setTimeout(reply.onSent)
  const whole = typeof reply.body === 'string' ? encodeUtf8(reply.body) : (reply.body ?? new Uint8Array())
  const stream = streamFrom({
    start: (controller) => {
      if (whole.length > 1) controller.enqueue(whole.slice(0, whole.length / 2))
    },
    // At the next pull, because an error discards queued data.
    pull: (controller) => controller.error(new TypeError('petstore-sandbox: an injected wire fault')),
  })
  return withHead(reply, stream)
}

/** In a VM of Vitest, jsdom has no class for streams; Node has it as a module. */
const streamFrom = (...from: ConstructorParameters<typeof ReadableStream<Uint8Array<ArrayBuffer>>>) =>
  new (globalThis.ReadableStream ?? process.getBuiltinModule('node:stream/web').ReadableStream)(...from)

/** Otherwise Workers would compress a body that is already encoded. */
const ENCODED = { encodeBody: 'manual' }

export function withHead(reply: Reply, body: BodyInit | undefined): Response {
  const headers = new Headers()
  for (const [name, value] of fieldPairs(reply.headers)) headers.append(name, value)
  return new Response(reply.status === 204 ? null : (body ?? null), {
    status: reply.status,
    statusText: statusText(reply.status),
    headers,
    ...ENCODED,
  })
}

function bodyOf(reply: Reply, signal: AbortSignal, shutdown: AbortSignal): BodyInit | undefined {
  const { slices, stream, body } = reply
  if (slices) return readableOf(slices)
  return stream ? streamOf(stream, signal, shutdown) : (body as BodyInit | undefined)
}

/** A text in slices as the body of a Response; generation stops when the reader cancels it. */
function readableOf(slices: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = slices[Symbol.asyncIterator]()
  return streamFrom({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(encodeUtf8(value))
    },
    cancel: async () => void (await iterator.return?.()),
  })
}

type Start = NonNullable<Reply['stream']>

/** The texts that wait for slow readers. */
const backlog = createBacklog<ReadableStreamDefaultController>(MAX_BACKLOG)

function streamOf(start: Start, signal: AbortSignal, shutdown: AbortSignal): ReadableStream<Uint8Array> {
  const over = new AbortController()
  const count = (controller: ReadableStreamDefaultController) =>
    backlog.count(controller, -(controller.desiredSize ?? 0), () => {
      // Unlike an end, an error drops what waits.
      controller.error(new Error(FELL_BEHIND.slice(2).trim()))
      over.abort()
    })
  return streamFrom(
    {
      start(controller) {
        const stop = start((text) => {
          controller.enqueue(encodeUtf8(text))
          count(controller)
        })
        over.signal.addEventListener('abort', stop)
        over.signal.addEventListener('abort', () => backlog.forget(controller))
        const when = (event: AbortSignal, end: () => void) => onAbort(event, end, { signal: over.signal })
        when(shutdown, () => controller.close())
        when(signal, () => controller.error(signal.reason))
        for (const event of [shutdown, signal]) when(event, () => over.abort())
      },
      // The reader has read everything and waits.
      pull: count,
      cancel: () => over.abort(),
    },
    { highWaterMark: 0, size: (chunk) => chunk.byteLength },
  )
}

/** Calls `act` when a signal aborts, or now: it may have aborted already. */
function onAbort(signal: AbortSignal, act: () => void, options: AddEventListenerOptions): void {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, options)
}

/** The value, or the abort, whichever comes first. */
export function orAborted<T>(value: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    onAbort(signal, abort, { once: true })
    value.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
