import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { clearTimeout, setTimeout } from '../timers.ts'

/** The number of requests of a connection that are carried out before their responses are sent; later ones wait. */
const MAX_UNSENT = 16

/** After this time, in milliseconds, a connection is read again: only reading shows that its client has disconnected. */
const LONGEST_PAUSE = 60_000

/**
 * The pipelined requests of a connection, in their order. While some wait, nothing more is read from the connection: a
 * flood of requests takes little memory, and the requests of other connections do not wait for it.
 */
export class Pipelined {
  /** The last response, sent or pending. */
  last: ServerResponse | undefined
  /** The last message whose body is received, or was. */
  reading: IncomingMessage | undefined
  readonly #socket: Duplex
  readonly #longestPause: number
  readonly #waiting: (() => void)[] = []
  /** The number of requests carried out since all responses were sent. */
  #unsent = 0
  #paused: ReturnType<typeof setTimeout> | undefined
  #isEnding = false

  /** `longestPause`: in milliseconds. */
  constructor(socket: Duplex, longestPause = LONGEST_PAUSE) {
    this.#socket = socket
    this.#longestPause = longestPause
    // Node resumes reading at the end of each message, and when the body of one is read, which has arrived completely.
    socket.on('resume', () => this.#paused && socket.pause())
  }

  /** Calls `act` when it is the turn of its request. */
  add(act: () => void): void {
    if (this.#waiting.length === 0 && this.#mayContinue()) act()
    else {
      this.#waiting.push(act)
      this.#pause()
    }
  }

  /** Calls `act`, which reads on, when all of them are answered. A body that is being received never ends then. */
  end(act: () => void): void {
    const whenSent = () => {
      // Nothing more is read before `act`: if the client has closed its side, Node would close the connection.
      this.#isEnding = true
      if (this.#isSent()) return act()
      this.#pause()
      this.last?.once('close', act)
    }
    if (this.#waiting.length === 0) whenSent()
    else this.#waiting.push(whenSent)
  }

  readonly #advance = (): void => {
    while (this.#waiting.length > 0) {
      if (!this.#mayContinue()) return
      this.#waiting.shift()?.()
    }
    if (!this.#isEnding) this.#resume()
  }

  /** Whether the next request may be carried out. If not, it is tried again when it may. */
  #mayContinue(): boolean {
    const { reading, last } = this
    if (reading && !reading.readableEnded) {
      reading.once('end', this.#advance)
      return false
    }
    if (this.#isSent()) this.#unsent = 0
    if (this.#unsent === MAX_UNSENT) {
      last?.once('close', this.#advance)
      return false
    }
    this.#unsent++
    return true
  }

  #isSent(): boolean {
    return !this.last || this.last.writableFinished || this.last.destroyed
  }

  /** After the current chunk. */
  #pause(): void {
    if (this.#paused) return
    this.#paused = setTimeout(this.#resume, this.#longestPause).unref()
    process.nextTick(() => this.#paused && this.#socket.pause())
  }

  readonly #resume = (): void => {
    if (!this.#paused) return
    clearTimeout(this.#paused)
    this.#paused = undefined
    this.#socket.resume()
  }
}
