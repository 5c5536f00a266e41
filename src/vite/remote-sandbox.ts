import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import https from 'node:https'
import type { Middleware } from '../compose/sandbox.ts'
import { trackConnections } from '../node/http/connections.ts'
import { isOurs } from '../node/http/middleware.ts'

/**
 * Passes requests for the API on to the sandbox at `origin`, and redirects control calls to it, so that it knows their
 * client. If its connection breaks, that of the browser is broken too. Every connection of a browser is closed after its
 * response, because only the sandbox knows whether a wire fault may act next (see trackConnections).
 */
export function remoteSandbox(origin: string): Middleware {
  const connections = trackConnections(() => true)
  return middleware as Middleware

  function middleware(message: IncomingMessage, response: ServerResponse, next: () => void): void {
    if (message.httpVersionMajor === 1) connections.passedOn(message, response)
    const { url = '' } = message
    if (!isOurs(url)) next()
    else if (/^\/_sandbox(?:[/?]|$)/.test(url)) response.writeHead(307, { Location: origin + url }).end()
    else passOn(message, response)
  }

  function passOn(message: IncomingMessage, response: ServerResponse): void {
    const { request } = origin.startsWith('https:') ? https : http
    const { method = 'GET', url = '' } = message
    // A new connection: a kept one could be closed just when it is used.
    const sent = request(origin + url, { method, headers: endToEnd(message.headers), agent: false })
    sent.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers))
      answer.on('error', () => breakOff(response))
      answer.pipe(response)
    })
    sent.on('error', ({ code, message: reason }: NodeJS.ErrnoException) => {
      if (code === 'ECONNRESET' || code?.startsWith('HPE_') || response.headersSent) breakOff(response)
      else
        refuse(response, `No sandbox answers at ${origin} (${code ?? reason}). Start its dev server first.`)
    })
    response.once('close', () => sent.destroy())
    message.pipe(sent)
  }
}

function refuse(response: ServerResponse, message: string): void {
  const body = JSON.stringify({ code: 'bad_gateway', message, status: 502 })
  response.writeHead(502, { 'Content-Type': 'application/json' }).end(body)
}

/** No browser repeats a request after this code of HTTP/2 (RFC 9113, section 7). */
const INTERNAL_ERROR = 2

function breakOff(response: ServerResponse | Http2ServerResponse): void {
  if ('stream' in response) response.stream.close(INTERNAL_ERROR)
  else if (response.headersSent) response.socket?.destroySoon()
  else response.socket?.resetAndDestroy()
}

/** Fields that concern one connection only, and the pseudo-header fields of HTTP/2. */
const HOP_BY_HOP = /^(?::.*|connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/

const endToEnd = (headers: http.IncomingHttpHeaders): http.OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.test(name)))
