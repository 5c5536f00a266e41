import { maxHeaderSize, type Server } from 'node:http'
import {
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2'
import type { Socket } from 'node:net'
import { createServer } from 'node:tls'
import type { Certificate } from '../files/certificate.ts'
import { requestOfHttp2, respondOverHttp2 } from './http2.ts'
import { headersTooLarge } from './raw-response.ts'
import type { HttpDeps } from './responder.ts'

/** A server for encrypted connections. It passes each to HTTP/2 or to `http`, as the client chose by ALPN. */
export function behindTls(http: Server, deps: HttpDeps, certificate: Certificate) {
  const sessions = new Set<ServerHttp2Session>()
  const serve = (message: Http2ServerRequest, response: Http2ServerResponse): void => {
    const size = message.rawHeaders.reduce((sum, text) => sum + text.length, 0)
    const answering = size > maxHeaderSize ? { ...deps, handle: () => deps.refuse(headersTooLarge()) } : deps
    respondOverHttp2(answering, message, response, requestOfHttp2(message))
  }
  // Only the size of all fields is limited, not their number, as over HTTP/1.1: a field takes at least four characters.
  const limits = { maxHeaderListPairs: maxHeaderSize / 4, settings: { maxConcurrentStreams: 100 } }
  const http2 = createHttp2Server(limits, serve)
  // Served as if there were no Expect header.
  http2.on('checkExpectation', serve)
  http2.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  // `http` does not listen itself. This event makes it track its connections and their timeouts.
  http.emit('listening')

  const sockets = new Map<string, Socket>()
  const server = createServer(
    { ...certificate, ALPNProtocols: ['h2', 'http/1.1'], noDelay: true },
    (socket) => {
      const beneath = sockets.get(peerOf(socket))
      // TLS has no reset: that of a wire fault acts on the TCP socket.
      if (beneath) Object.assign(socket, { resetAndDestroy: () => beneath.resetAndDestroy() })
      const protocol = socket.alpnProtocol === 'h2' ? http2 : http
      protocol.emit('connection', socket)
    },
  )
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    sockets.set(peer, socket)
    socket.once('close', () => sockets.delete(peer))
  })
  return {
    server,
    connections: {
      closeIdleConnections() {
        http.closeIdleConnections()
        for (const session of sessions) session.close()
      },
      closeAllConnections() {
        for (const socket of sockets.values()) socket.destroy()
      },
    },
  }
}

const peerOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`
