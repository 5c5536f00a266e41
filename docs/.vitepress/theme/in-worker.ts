/** A message of the page to the worker: a request, or its end. */
export type Asked =
  | {
      readonly id: number
      readonly target: string
      readonly method: string
      readonly headers: [string, string][]
      readonly body?: ArrayBuffer
    }
  | { readonly id: number; readonly abort: true }

/** A message of the worker: a response, a part of its body or its end (null), or a failure. */
export type Told =
  | {
      readonly id: number
      readonly status: number
      readonly headers: [string, string][]
      readonly hasBody: boolean
    }
  | { readonly id: number; readonly chunk: Uint8Array<ArrayBuffer> | null }
  | { readonly id: number; readonly error: string }

interface Pending {
  readonly resolve: (response: Response) => void
  readonly reject: (error: Error) => void
  body?: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>
}

export interface InWorker {
  /** `site`: the path of the site, which precedes that of the sandbox. */
  readonly fetch: (request: Request, site?: string) => Promise<Response>
}

/** A sandbox in a worker of this page. No request leaves the browser, and the sandbox lives as long as the page. */
export function sandboxInWorker(): InWorker {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  const pending = new Map<number, Pending>()
  let last = 0

  worker.onmessage = ({ data: told }: MessageEvent<Told>) => {
    const waiting = pending.get(told.id)
    if (!waiting) return
    if ('status' in told) {
      const body = told.hasBody
        ? new ReadableStream({
            start: (controller) => {
              waiting.body = controller
            },
            // The reader has enough: parts that are under way go nowhere.
            cancel: () => {
              pending.delete(told.id)
              ask({ id: told.id, abort: true })
            },
          })
        : null
      if (!body) pending.delete(told.id)
      return waiting.resolve(new Response(body, { status: told.status, headers: told.headers }))
    }
    if ('chunk' in told && told.chunk) return waiting.body?.enqueue(told.chunk)
    pending.delete(told.id)
    if ('chunk' in told) return waiting.body?.close()
    const error = new TypeError(told.error)
    waiting.body?.error(error)
    waiting.reject(error)
  }

  const ask = (asked: Asked) => worker.postMessage(asked)

  async function fetch(request: Request, site = ''): Promise<Response> {
    const { method, headers, signal } = request
    const { pathname, search } = new URL(request.url)
    const body = await request.arrayBuffer()
    const id = ++last
    return new Promise((resolve, reject) => {
      pending.set(id, { resolve, reject })
      signal.addEventListener('abort', () => ask({ id, abort: true }))
      const target = pathname.slice(site.length) + search
      ask({ id, target, method, headers: [...headers], ...(body.byteLength > 0 && { body }) })
    })
  }

  return { fetch }
}
