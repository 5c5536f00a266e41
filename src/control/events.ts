import type { ResetPart } from '../contract/generated/control.types.d.ts'
import { inThousands } from '../text/in-thousands.ts'
import { iso } from '../time/instant.ts'
import type { Timer } from '../time/timer.ts'
import { ApiError } from '../world/api-error.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import type { World } from '../world/world.ts'
import { entryText, type NamesIn } from './entry-text.ts'
import type { OperationContext, ReplyOf } from './operation.ts'
import type { StateChange } from './state-changes.ts'

const EVENTS = 'text/event-stream; charset=utf-8'
const MAX_SUBSCRIBERS = 1000
const TOO_MANY_SUBSCRIBERS = `There are ${inThousands(MAX_SUBSCRIBERS)} subscribers of events, which is the limit. End one of them.`

const eventText = (event: string, json: string): string => `event: ${event}\ndata: ${json}\n\n`

/** Server-sent events: the state at once and after every change, and each recorded exchange. */
export function streamEvents(context: OperationContext<'streamEvents'>): ReplyOf<'streamEvents'> {
  const { deps, changes, recorded, waiting, query } = context
  const { rate = Infinity } = query
  const isAll = query.namespace === '*'
  const { name } = isAll ? deps.worlds.default : context.world()
  if (recorded.size - waiting.size >= MAX_SUBSCRIBERS)
    throw new ApiError('service_unavailable', TOO_MANY_SUBSCRIBERS)
  return {
    status: 200,
    // charset: without it, requests of Python would read the text as ISO-8859-1.
    // no-transform, X-Accel-Buffering: compression in a dev server, and nginx, would hold events back in a buffer.
    headers: ['Content-Type', EVENTS, 'Cache-Control', 'no-store, no-transform', 'X-Accel-Buffering', 'no'],
    body: undefined,
    stream: (send) => {
      const namesIn: NamesIn = (name) => deps.worlds.find(name)?.keys.names
      const textOf = (exchange: Exchange) => eventText('request', entryText(exchange, namesIn))
      const { pass, flush, stop } = throttled(rate, textOf, send, deps.timer)
      const emitState = ({ changed, to, point }: StateChange, of = name) => {
        flush()
        if (of !== name) {
          // Its requests may soon be as many again, and have the same ids.
          if (changed.includes('requests')) send(eventText('gone', JSON.stringify({ namespace: of })))
          return
        }
        const real = deps.clock()
        const state = stateOf(deps.worlds.peek(name, real), changed, real)
        const call = { ...(to !== undefined && { kind: 'rewind', to }), ...(point && { point }) }
        send(eventText('state', JSON.stringify({ ...state, ...call })))
      }
      emitState({ changed: [] })
      const stops = [
        recorded.subscribe(isAll ? '*' : name, pass),
        changes.subscribe(isAll ? '*' : name, emitState),
        keepAlive(send, deps.timer),
        stop,
      ]
      return () => stops.forEach((each) => void each())
    },
  }
}

/** `changed`: the parts that a control call has just changed. */
const stateOf = (world: World, changed: readonly ResetPart[], real: number): object => ({
  namespace: world.name,
  changed,
  pets: world.collections.pets.size,
  real: iso(real),
  clock: { now: iso(world.now(real)), frozen: world.clock.frozen },
  faults: world.faults.list().length,
})

/** The length of an interval in milliseconds. After each, a part of `rate` may be sent again. */
const INTERVAL_MS = 100

/**
 * Passes at most `rate` exchanges a second as texts, also in one burst, and an event `more` with the number of the others
 * by status (0 if the client received none). The first exchange is sent at once; those that follow in the interval are
 * sent together at its end, because a write costs more than a text. The cost of a subscriber therefore does not grow with
 * the number of requests. Without a limit (Infinity), each is sent at once.
 */
export function throttled(
  rate: number,
  textOf: (exchange: Exchange) => string,
  send: (texts: string) => void,
  timer: Timer,
) {
  const share = (rate * INTERVAL_MS) / 1000
  let left = rate
  let texts = ''
  let skipped: { at: number; count: number; statuses: Record<string, number> } | undefined
  let stop: (() => void) | undefined
  const flush = () => {
    if (skipped) texts += eventText('more', JSON.stringify({ ...skipped, at: iso(skipped.at) }))
    if (texts !== '') send(texts)
    skipped = undefined
    texts = ''
  }
  const end = () => {
    left = Math.min(rate, left + share)
    stop = left < rate ? timer(INTERVAL_MS, end) : undefined
    flush()
  }
  const pass = (exchange: Exchange) => {
    if (left < 1) {
      skipped ??= { at: exchange.at, count: 0, statuses: {} }
      skipped.at = exchange.at
      skipped.count++
      skipped.statuses[exchange.status] = (skipped.statuses[exchange.status] ?? 0) + 1
      return
    }
    left--
    texts += textOf(exchange)
    if (stop) return
    if (left < rate) stop = timer(INTERVAL_MS, end)
    flush()
  }
  /** `flush`: sends what waits, such as before another event. */
  return { pass, flush, stop: () => stop?.() }
}

/** In milliseconds: "every 15 seconds or so" (HTML Standard, section 9.2.7). */
const KEEP_ALIVE_MS = 15_000
const COMMENT = ':\n\n'

/** Sends comments, since proxies end an event stream that is idle for a minute. Returns a function that stops. */
export function keepAlive(send: (text: string) => void, timer: Timer): () => void {
  const wait = () =>
    timer(KEEP_ALIVE_MS, () => {
      send(COMMENT)
      stop = wait()
    })
  let stop = wait()
  return () => stop()
}
