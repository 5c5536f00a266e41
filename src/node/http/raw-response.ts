import type { Socket } from 'node:net'
import { statusText } from '../../text/status-text.ts'
import { ApiError } from '../../world/api-error.ts'
import type { Reply } from '../../world/traffic/message.ts'
import { setTimeout } from '../timers.ts'

/** The time of reading from a client that is still sending after its response, in milliseconds. */
const LINGER = 500

/** Without its ESM facade, as in server.ts. The limit is an option of Node: 16 KiB by default. */
const http = process.getBuiltinModule('node:http')

export const headersTooLarge = (): ApiError =>
  new ApiError('headers_too_large', `The header section is larger than ${http.maxHeaderSize / 1024} KiB.`)

/** An error of Node's parser as an ApiError. */
export function refusalOf(error: NodeJS.ErrnoException & { reason?: string }): ApiError {
  if (error.code === 'HPE_HEADER_OVERFLOW') return headersTooLarge()
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError('request_timeout', 'The request did not arrive completely in time.')
  const why = error.reason ? `: ${error.reason}` : ''
  return new ApiError('invalid_request', `The request is not valid HTTP${why}.`)
}

/** Writes a response when Node has no response object, and closes the connection when the client could read it. */
export function answerRaw(socket: Socket, { status, headers, body }: Reply): void {
  if (!socket.writable) return void socket.destroy()
  const fields = headers.map((value, i) => (i % 2 === 0 ? `\r\n${value}: ` : value)).join('')
  socket.end(`HTTP/1.1 ${status} ${statusText(status)}${fields}\r\nConnection: close\r\n\r\n${body ?? ''}`)
  // Closing with unread bytes would reset the connection and lose the response.
  socket.resume()
  setTimeout(() => socket.destroy(), LINGER).unref()
}
