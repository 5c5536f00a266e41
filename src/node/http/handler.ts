import type { Handle, Request as PlainRequest, Reply } from '../../world/traffic/message.ts'
import { type MountOptions, mountedRequest } from '../../world/traffic/peer.ts'
import { headOf, orAborted, responseOf, targetOf, withHead } from './fetch.ts'
import { setImmediate } from './timers.ts'

/** What the surrounding server knows about the sender of a request. */
export interface Peer {
  /** The address of the client. */
  readonly address?: string | undefined
}

export interface HandlerDeps extends MountOptions {
  readonly handle: Handle
  readonly bodyLimit: (head: PlainRequest) => number | undefined
  /** Ends streams when it aborts. */
  readonly shutdown: AbortSignal
}

/** Answers a Request that a foreign server has received. */
export async function answerRequest(deps: HandlerDeps, request: Request, peer?: Peer): Promise<Response> {
  const { address } = peer ?? {}
  const { signal } = request
  const scheme = request.url.startsWith('https:') && { scheme: 'https' as const }
  const head = mountedRequest(
    // The context that Next passes is not a Peer and has no address.
    {
      ...headOf(request, targetOf(request)),
      ...scheme,
      address: typeof address === 'string' ? address : undefined,
    },
    deps,
  )
  const body = request.body ? await read(request.body, deps.bodyLimit(head)) : {}
  const reply = await orAborted(Promise.resolve(deps.handle({ ...head, ...body })), signal)
  if (!reply.wire || reply.wire === 'hang') return responseOf(reply, signal, deps.shutdown)
  return broken(reply)
}

/** A body that is larger than `limit`, or not needed for the response, is discarded and not read to its end. */
async function read(
  stream: ReadableStream<Uint8Array>,
  limit = -1,
): Promise<Partial<Pick<PlainRequest, 'body' | 'tooLarge'>>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > limit) return { tooLarge: true }
    chunks.push(chunk)
  }
  return { body: Buffer.concat(chunks) }
}

/** A Response whose body fails, so that the surrounding server closes the connection. */
function broken(reply: Reply): Response {
  if (reply.onSent) setImmediate(reply.onSent)
  const half = reply.wire === 'truncate' ? Buffer.from(reply.body ?? '') : Buffer.alloc(0)
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      if (half.length > 1) controller.enqueue(half.subarray(0, half.length / 2))
    },
    // On the next pull only, because an error discards what is still queued.
    pull: (controller) => controller.error(new TypeError('petstore-sandbox: an injected wire fault')),
  })
  return withHead(reply, stream)
}
