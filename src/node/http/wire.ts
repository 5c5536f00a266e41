import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { WireFault } from '../../world/faults/fault.ts'
import type { Reply } from '../../world/traffic/message.ts'

/** Breaks a connection or a stream. */
export type Break<Out, Response> = (out: Out, response: Response, reply: Reply, shutdown: AbortSignal) => void

/** The wire faults that send nothing of the response. */
export const WITHOUT_RESPONSE = {
  reset: (socket: Socket) => void socket.resetAndDestroy(),
  empty: (socket: Socket) => socket.destroySoon(),
  garbage: (socket: Socket) => {
    socket.write(Buffer.from('\u0000\u0001garbage\u00ff\u0007 this is no HTTP\r\n\r\n', 'latin1'))
    socket.destroySoon()
  },
}

/** The effect of each wire fault on the connection. */
export const BREAKS: Readonly<Record<WireFault, Break<Socket, ServerResponse>>> = {
  ...WITHOUT_RESPONSE,
  truncate: (socket, response, reply) => {
    const body = Buffer.from(reply.body ?? '')
    response.writeHead(reply.status, reply.headers as string[])
    // If half of the body is empty, Node would not even send the head.
    response.flushHeaders()
    response.write(body.subarray(0, body.length / 2), () => socket.destroySoon())
  },
  // If the client disconnects, the sandbox closes too.
  hang: (socket, _response, _reply, shutdown) => {
    if (socket.readableEnded) socket.destroy()
    else socket.once('end', () => socket.destroy())
    untilShutdown(socket, shutdown, () => socket.destroy())
  },
}

/** Calls `end` when the sandbox shuts down, unless the connection or stream was closed before. */
export function untilShutdown(open: Duplex, shutdown: AbortSignal, end: () => void): void {
  if (shutdown.aborted) return void end()
  shutdown.addEventListener('abort', end)
  open.once('close', () => shutdown.removeEventListener('abort', end))
}

/** Calls `act` with the connection of a response when all earlier responses are sent. */
export function onItsTurn(response: ServerResponse, act: (socket: Socket) => void): void {
  const { socket } = response
  if (socket) act(socket)
  else response.once('socket', act)
}
