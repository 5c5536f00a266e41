import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { fieldValue } from '../domain/traffic/message.ts'
import { clearTimeout, setTimeout } from './timers.ts'

/** How long a connection may stay silent before it counts as one that was opened for later, in milliseconds. */
const SILENT = 100

/**
 * Which connections a browser would not notice losing. A browser sends a request again, a POST too, when a
 * connection breaks that it had used before or had opened in advance; a wire fault on such a connection never
 * reaches the page. So before one can act, these connections are closed, and the fault meets a new one.
 */
export interface Browsers {
  /** A connection was opened. */
  opened(socket: Socket): void
  /** A request came in on its connection, and is answered when `response` closes. */
  asked(message: IncomingMessage, response: ServerResponse): void
  /** Whether the connection of a request is not to be used again: a wire fault may act on the next request. */
  endsWith(message: IncomingMessage): boolean
  /** Closes those that lie idle; resolves when they are. */
  closeIdle(): Promise<void>
}

/** `breaks`: whether a wire fault may act on the next request. */
export function trackBrowsers(breaks: () => boolean): Browsers {
  /** Those that have not asked anything yet. */
  const silent = new Set<Socket>()
  /** Those of browsers, with how many of their requests wait for an answer. */
  const busy = new Map<Socket, number>()

  return {
    opened(socket) {
      silent.add(socket)
      socket.once('close', () => {
        silent.delete(socket)
        busy.delete(socket)
      })
      if (breaks()) void closeSilent([socket])
    },
    asked({ socket, rawHeaders }, response) {
      silent.delete(socket)
      if (!busy.has(socket) && !isFromBrowser(rawHeaders)) return
      // In somebody else's server nobody tells of a connection before its first request.
      if (!busy.has(socket)) socket.once('close', () => busy.delete(socket))
      const count = (more: number) => busy.set(socket, (busy.get(socket) ?? 0) + more)
      count(1)
      response.once('close', () => busy.has(socket) && count(-1))
    },
    endsWith: ({ socket }) => busy.get(socket) === 1 && breaks(),
    async closeIdle() {
      const idle = [...busy].filter(([, waiting]) => waiting === 0).map(([socket]) => socket)
      await Promise.all([...idle.map(closed), closeSilent([...silent])])
    },
  }

  /** A request may be on its way on a connection that is quite new. */
  async function closeSilent(sockets: readonly Socket[]): Promise<void> {
    if (sockets.length === 0) return
    await new Promise((resolve) => setTimeout(resolve, SILENT).unref())
    await Promise.all(sockets.filter((socket) => silent.has(socket) && socket.bytesRead === 0).map(closed))
  }
}

const isFromBrowser = (headers: readonly string[]): boolean =>
  fieldValue(headers, 'sec-fetch-mode') !== undefined || fieldValue(headers, 'origin') !== undefined

/** How long the other side may take to notice, in milliseconds. */
const NOTICE = 200

/** Resolves once the other side has noticed, so that it sends nothing more on this connection. */
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const over = setTimeout(() => socket.destroy(), NOTICE).unref()
    socket.once('close', () => {
      clearTimeout(over)
      resolve()
    })
    socket.end()
  })
