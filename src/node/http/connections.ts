import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isControlTarget } from '../../world/traffic/address.ts'
import { fieldValue, type Reply } from '../../world/traffic/message.ts'
import { clearTimeout, monotonic, setTimeout } from '../timers.ts'
import { answerRaw } from './raw-response.ts'

/** A connection that is silent for longer counts as opened in advance, in milliseconds. */
const SILENT = 100

/** The time after a 421 in which old connections are closed, in milliseconds: 421 lets a request be repeated only once. */
const REPEATED = 1000

/**
 * Tracks the connections on which a browser would hide a fault. If a connection breaks that was used before or opened
 * in advance, a browser repeats the request, even a POST, and the page never sees the wire fault. `fetch` of Bun and Deno
 * does so too; Go, OkHttp and clients that use libcurl do so on a used one. Used connections are therefore closed before a
 * fault can act, which then acts on a new one. A connection that was opened in advance is refused only when a request
 * arrives on it, because a request may already be on its way. `breaks`: whether a wire fault may act on the next request.
 */
export function trackConnections(breaks: () => boolean) {
  /** Connections without a request so far, and when they were opened. */
  const silent = new Map<Socket, number>()
  /** Connections of clients that repeat requests, with the number of their pending requests. */
  const busy = new Map<Socket, number>()
  /** Responses of the host server that have not ended. */
  const others = new Set<ServerResponse>()
  let refusedAt = -Infinity

  return {
    /** A connection was opened. */
    opened(socket: Socket): void {
      silent.set(socket, monotonic())
      socket.once('close', () => silent.delete(socket))
    },
    /**
     * Refuses a request on a connection that was opened in advance if a wire fault may act on it, so that the browser
     * repeats it on a new one. Returns whether it did. No fault acts on a control call. After 421, `fetch` repeats a
     * request (Fetch standard, HTTP-network-or-cache fetch), also on a new connection whose first bytes were late.
     */
    refuses(message: IncomingMessage): boolean {
      const { socket, rawHeaders, url = '' } = message
      if (!breaks() || isControlTarget(url) || !isFromBrowser(rawHeaders)) return false
      const now = monotonic()
      if (now - (silent.get(socket) ?? Infinity) <= SILENT) return false
      if (isFetch(rawHeaders) && now - refusedAt > REPEATED) answerRaw(socket, MISDIRECTED)
      else socket.destroy()
      message.resume()
      refusedAt = now
      return true
    },
    received,
    /**
     * Like `received`, for a request that the host server answers: its connection is closed after the response if a wire
     * fault may act on the next one.
     */
    passedOn(message: IncomingMessage, response: ServerResponse): void {
      const { socket } = message
      if (!received(message, response)) return
      if (breaks()) closeAfter(response)
      others.add(response)
      response.once('close', () => {
        others.delete(response)
        // The head was sent before the fault rule was added.
        if (busy.get(socket) === 0 && breaks()) void closed(socket)
      })
    },
    /** Whether to close the connection after this request, because a wire fault may act on the next one. */
    closesAfter: ({ socket }: IncomingMessage): boolean => busy.get(socket) === 1 && breaks(),
    /** Closes idle connections, also of other namespaces: a browser shares them. Resolves when they are closed. */
    async closeIdle(): Promise<void> {
      others.forEach(closeAfter)
      const idle = [...busy].filter(([, waiting]) => waiting === 0).map(([socket]) => socket)
      await Promise.all(idle.map(closed))
    },
  }

  /** A request was received; it is answered when `response` closes. Returns whether its client may repeat it. */
  function received({ socket, rawHeaders }: IncomingMessage, response: ServerResponse): boolean {
    silent.delete(socket)
    if (!busy.has(socket) && !repeats(rawHeaders)) return false
    if (!busy.has(socket)) socket.once('close', () => busy.delete(socket))
    busy.set(socket, (busy.get(socket) ?? 0) + 1)
    response.once('close', () => busy.has(socket) && busy.set(socket, (busy.get(socket) ?? 0) - 1))
    return true
  }
}

/** Node sends `Connection: close` with a head that is not sent yet, and closes the connection after the response. */
function closeAfter(response: ServerResponse): void {
  response.shouldKeepAlive = false
}

/** The `fetch` of Node sends Sec-Fetch-Mode only. It repeats no request, so that its connections stay. */
const isFetch = (headers: readonly string[]): boolean => fieldValue(headers, 'sec-fetch-site') !== undefined

const isFromBrowser = (headers: readonly string[]): boolean =>
  isFetch(headers) ||
  fieldValue(headers, 'origin') !== undefined ||
  /^(?:Bun|Deno)\//.test(fieldValue(headers, 'user-agent') ?? '')

/** PycURL and httr of R name libcurl in their user agent. A client that sends another one, or none, is not recognised. */
const repeats = (headers: readonly string[]): boolean =>
  isFromBrowser(headers) ||
  /^(?:Go-http-client|GuzzleHttp|okhttp)\/|^Typhoeus\b|curl\//.test(fieldValue(headers, 'user-agent') ?? '')

const MISDIRECTED: Reply = { status: 421, headers: ['Content-Length', '0'], body: undefined }

/** The time that a client has to close its side, in milliseconds. */
const NOTICE = 200

/** Resolves when the client has closed its side: then it sends nothing more on this connection. */
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const over = setTimeout(() => socket.destroy(), NOTICE).unref()
    socket.once('close', () => {
      clearTimeout(over)
      resolve()
    })
    socket.end()
  })
