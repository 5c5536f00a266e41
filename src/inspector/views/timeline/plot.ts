import { MINUTE } from '../../../time/instant.ts'
import type { CallEvent, HistoryEvent } from '../../data/event.ts'
import type { Counted } from '../../data/events.ts'
import type { Window } from '../../data/types.ts'
import { amount, dateOf, dayOf, duration, leftAt, timeOfDay, UNLIMITED, visible } from '../../text/text.ts'
import { type Scale, scaleOf } from './scale.ts'

/** The classes of requests, in the order of the legend. */
export const LEGEND = { good: 'served', warn: 'refused', bad: 'failed or lost' } as const
type Class = keyof typeof LEGEND
const CLASSES = Object.keys(LEGEND) as readonly Class[]

export const classOf = (status: number): Class =>
  status === 0 || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'

/** Requests that were undone, or came after the shown point, are pale. */
type Part = Class | `${Class} pale`
/** From bottom to top. */
export const PARTS: readonly Part[] = ['bad', 'warn', 'good', 'bad pale', 'warn pale', 'good pale']

type Counts = { readonly [Each in Part]?: number }

/** The remaining quota from an instant of real time on. */
interface Step {
  readonly real: number
  readonly left: number
  readonly limit: number
  /** When the quota is full again, by the clock of the namespace. */
  readonly fullAt: number
  readonly isPale: boolean
}

interface Label {
  readonly x: number
  readonly text: string
}

export interface PlotInput {
  /** Oldest first. */
  readonly events: readonly HistoryEvent[]
  readonly counted: readonly Counted[]
  /** Real time, and the time of the namespace. */
  readonly now: number
  readonly clock: number
  readonly isFrozen?: boolean | undefined
  /** Whether all namespaces are shown. They have no common clock, so the axis shows real time. */
  readonly isAll?: boolean
  readonly left: number
  readonly right: number
  /** The name of the key whose quota is drawn, and its minute window now, if known. */
  readonly key: string
  readonly minute?: Window | undefined
  readonly isPale: (event: HistoryEvent) => boolean
  /** The position of the handle in real time; undefined means at the end. */
  readonly before?: number | undefined
}

/** Clock moves and rewinds. */
export const isMark = ({ what, undid }: CallEvent): boolean =>
  undid !== undefined || what.startsWith('clock ')

/** The words of a clock move or a rewind. */
function markText({ what, line: [, move, value = ''] = [], undid, at }: CallEvent): string {
  if (undid !== undefined) return 'back'
  if (move === 'advance') return `+${value.replace(/(\d)([a-z]+)$/, '$1 $2')}`
  return move === 'set' ? `to ${dateOf(at)}` : what.replace(/clock (to (?=real))?/g, '')
}

type Plot = ReturnType<typeof plotOf>

/** The data that the parts of the timeline draw. */
export interface Drawing extends Plot {
  readonly room: ReturnType<typeof roomOf>
}

/** Positions in pixels. `lane`: that of control calls. */
export function roomOf(width: number) {
  const isCompact = width < 600
  const height = isCompact ? 92 : width < 1000 ? 100 : 126
  // Below the legend, if there is one.
  const lane = isCompact ? 16 : height === 100 ? 34 : 40
  return { width, height, lane, top: lane + 8, base: height - 20, isCompact }
}

export function plotOf(input: PlotInput) {
  const { events, counted, now, left, right } = input
  const instants = [...events, ...counted].map(({ real }) => real).sort((a, b) => a - b)
  const scale = scaleOf(instants, now, left, right)
  const bars = barsOf(input, scale)
  const calls = events.filter((event): event is CallEvent => event.kind === 'call' && event.undone !== '')
  const at = input.before === undefined ? right : scale.x(input.before)
  const side = input.before === undefined ? 0 : at > right - NAME ? -1 : 1
  const name: Range = [at - (side < 0 ? NAME : 7), at + (side > 0 ? NAME : 7)]
  return {
    handle: { at, side },
    scale,
    bars,
    most: Math.max(1, ...bars.map(({ counts }) => sumOf(counts))),
    steps: stepsOf(input, scale.from),
    labels: labelsOf(input, scale, calls.filter(isMark)),
    calls: callsOf(calls, scale, name),
  }
}

const BAR_STEPS = [0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600, 86_400].map((seconds) => seconds * 1000)
const NARROWEST = 7

const sumOf = (counts: Counts): number => Object.values(counts).reduce((sum, each) => sum + each, 0)

/** Bars begin at multiples of real time, so that they do not move as time passes. */
function barsOf({ events, counted, isPale }: PlotInput, { perMs }: Scale) {
  const step = BAR_STEPS.find((each) => each * perMs >= NARROWEST) ?? (BAR_STEPS.at(-1) as number)
  const bars = new Map<number, Counts>()
  const add = (real: number, part: Part, count: number) => {
    const from = Math.floor(real / step) * step
    const counts = bars.get(from) ?? {}
    bars.set(from, { ...counts, [part]: (counts[part] ?? 0) + count })
  }
  for (const event of events) {
    if (event.kind !== 'request') continue
    const name = classOf(event.entry.status)
    add(event.real, isPale(event) ? `${name} pale` : name, 1)
  }
  for (const { real, statuses } of counted)
    for (const [status, count] of Object.entries(statuses)) add(real, classOf(Number(status)), count)
  return [...bars].sort(([a], [b]) => a - b).map(([from, counts]) => ({ from, to: from + step, counts }))
}

/** Whether the quota is full after a control call: a clock that goes back resets it. */
const fills = ({ line: [verb, ...words] = [], undid, before, at }: CallEvent, key: string): boolean =>
  verb === 'limits'
    ? words.join(' ') === `${key} --refill`
    : (verb === 'reset' && (words.length === 0 || words.includes('limits'))) || (!undid && at < before)

/**
 * The minute window of a key: one less at each counted request, full at the end of the window. If the next request
 * finds another value, a rewind, or a call about limits or without a line, in between has changed it.
 */
function stepsOf({ events, key, isPale, now, clock, minute }: PlotInput, start: number): Step[] {
  const steps: Step[] = []
  let changedBy: CallEvent | undefined
  const push = (real: number, { limit, remaining: left, resetsAt }: Window, isPale: boolean) => {
    steps.push({ real, left, limit, fullAt: left < limit ? Date.parse(resetsAt) : Infinity, isPale })
  }
  const fill = (real: number, isPale: boolean) => {
    const last = steps.at(-1)
    if (last && last.left < last.limit)
      steps.push({ ...last, real, left: last.limit, fullAt: Infinity, isPale })
  }
  /** The clock showed `before` until `real`, and `at` from then on. */
  const passTo = (real: number, before: number, at = before) => {
    const last = steps.at(-1)
    if (last && Math.max(before, at) >= last.fullAt)
      fill(real - Math.max(0, before - last.fullAt), last.isPale)
  }
  const endChange = (window: Window) => {
    if (changedBy && window.remaining !== steps.at(-1)?.left) push(changedBy.real, window, isPale(changedBy))
    changedBy = undefined
  }
  for (const event of events) {
    passTo(event.real, startOf(event), event.at)
    if (event.kind === 'call') {
      const isFilled = fills(event, key)
      if (isFilled) fill(event.real, isPale(event))
      if (isFilled || event.undid !== undefined || event.keyName === key) changedBy = event
      else if (!event.line && !event.keyName) changedBy ??= event
      continue
    }
    const { keyName, quota } = event.entry
    if (keyName !== key || !quota || quota.after.minute.limit === UNLIMITED) continue
    if (steps.length === 0) push(start, quota.before.minute, isPale(event))
    endChange(quota.before.minute)
    push(event.real, quota.after.minute, isPale(event))
  }
  const last = steps.at(-1)
  const end = Date.parse(minute?.resetsAt ?? '')
  // A window that was read before the last one ended shows what was left then. A full window begins when it is read.
  const isEarlier =
    minute && last && (minute.remaining < minute.limit ? end <= clock : end - MINUTE < last.fullAt)
  if (isEarlier) endChange(minute)
  passTo(now, clock)
  if (!minute || !last || isEarlier) return steps
  endChange(minute)
  // Requests in progress are counted, but not yet in the journal. A larger remainder was read before the last requests.
  if (leftAt(minute, clock) < (steps.at(-1) as Step).left) push(now, minute, false)
  return steps
}

type ClockInput = Pick<PlotInput, 'events' | 'now' | 'clock' | 'isFrozen' | 'isAll'>

/** The time of the namespace at an instant of real time. Between two events the clock ran, or was frozen. */
export function clockAt({ events, now, clock, isFrozen = false, isAll }: ClockInput, real: number): number {
  if (isAll) return real
  const at = events.findLastIndex((event) => event.real <= real)
  const [last, next] = [events[at], events[at + 1]]
  const [nextReal, nextAt] = next ? [next.real, startOf(next)] : [now, clock]
  if (!last) {
    // The clock was frozen before the first event if it is frozen until the second one.
    const [first, second] = events
    const wasFrozen = second ? second.real - nextReal > 1 && startOf(second) === nextAt : isFrozen
    return wasFrozen && first?.kind !== 'call' ? nextAt : nextAt - (nextReal - real)
  }
  // Not compared exactly: the page receives the clock with a delay. The undo of a rewind begins with the clock of the
  // other branch, and restores the clock of this one.
  const hasRun =
    next?.kind === 'call' && next.undid !== undefined
      ? nextAt > last.at || (nextAt < last.at && next.at !== last.at)
      : nextAt - last.at > (nextReal - last.real) / 2
  return hasRun ? last.at + real - last.real : last.at
}

const startOf = (event: HistoryEvent): number => (event.kind === 'call' ? event.before : event.at)

type Range = readonly [from: number, to: number]

const isFree = (taken: readonly Range[], [from, to]: Range): boolean =>
  !taken.some((each) => each[1] > from && each[0] < to)

/** The width of the handle's name, in pixels. */
const NAME = 140

/** Places the words of calls if there is space: clock changes first, of which close ones keep their order. */
function callsOf(calls: readonly CallEvent[], { x: xOf, right }: Scale, handle: Range) {
  const taken = [handle, ...calls.map(({ real }): Range => [xOf(real) - 4, xOf(real) + 4])]
  /** Where the words of the next clock change begin. */
  let next = Infinity
  const drawn = [...calls.filter(isMark).reverse(), ...calls.filter((call) => !isMark(call))]
  return drawn.map((call) => {
    const x = xOf(call.real)
    const text = isMark(call) ? markText(call) : visible(call.what)
    // Bold digits are wider. A space separates two texts.
    const width = text.length * (isMark(call) ? 7 : 6.4) + 4
    const end = isMark(call) ? Math.min(next, right + 4) : right + 4
    const places = (isMark(call) ? [8, 16, 24, 32] : [8]).flatMap((beside): readonly Range[] => [
      [x + beside, x + beside + width],
      [x - beside - width, x - beside],
    ])
    const place = places.find((each) => each[0] >= 0 && each[1] <= end && isFree(taken, each))
    if (!place) return { call }
    taken.push(place)
    const [from, to] = place
    if (isMark(call)) next = from
    return { call, words: from > x ? { x: from, text, anchor: 'start' } : { x: to, text, anchor: 'end' } }
  })
}

const LABEL_STEPS = [1, 2, 5, 10, 30, 60, 300, 900, 3600, 6 * 3600, 86_400].map((seconds) => seconds * 1000)
const LABEL_WIDTH = 82
/** Two readings of the clock for one instant differ by less, in milliseconds. Without it, a label may be a second behind. */
const TOLERANCE = 50

/** The lengths of gaps, and times of the namespace along the axis, without overlaps. After a mark they include the date. */
function labelsOf(input: PlotInput, scale: Scale, marks: readonly CallEvent[]): Label[] {
  const labels: Label[] = []
  const taken: Range[] = []
  const put = (x: number, text: string): boolean => {
    const half = text.length * 3.4
    // A time of the day has 27 pixels at both sides of the plot, except at the left on phones.
    const place = Math.min(scale.right + 27 - half, Math.max(scale.left - 27 + half, half + 4, x))
    if (!isFree(taken, [place - half, place + half])) return false
    taken.push([place - half - 6, place + half + 6])
    return labels.push({ x: place, text }) > 0
  }
  for (const { from, to, length } of scale.gaps.toSorted((a, b) => b.length - a.length))
    put((scale.x(from) + scale.x(to)) / 2, duration(length))
  for (const mark of marks) {
    const at = clockAt(input, mark.real)
    if (dateOf(at) === dateOf(clockAt(input, mark.real - 1))) continue
    const text = `${dayOf(at)} ${timeOfDay(at, 0)}`
    put(scale.x(mark.real) + text.length * 3.4, text)
  }
  const every = LABEL_STEPS.find((each) => each * scale.perMs >= LABEL_WIDTH) ?? 86_400_000
  let frozenAt = Number.NaN
  for (let real = Math.ceil(scale.from / every) * every; real < scale.to; real += every) {
    const gap = scale.gapAt(real)
    if (gap) {
      real = Math.floor(gap.to / every) * every
      continue
    }
    const at = clockAt(input, real)
    if (at !== clockAt(input, real - 1)) put(scale.x(real), timeOfDay(at + TOLERANCE, 0))
    else if (at !== frozenAt && put(scale.x(real), `frozen ${timeOfDay(at, 0)}`)) frozenAt = at
  }
  return labels.sort((a, b) => a.x - b.x)
}

/** Describes the plot at an instant. */
export function wordsAt(plot: Plot, input: PlotInput, real: number): string {
  const gap = plot.scale.gapAt(real)
  if (gap) return `nothing for ${duration(gap.length)}`
  const bar = plot.bars.find(({ from, to }) => real >= from && real < to)
  const counts = CLASSES.flatMap((name) => {
    const count = (bar?.counts[name] ?? 0) + (bar?.counts[`${name} pale`] ?? 0)
    return count === 0 ? [] : `${count} ${LEGEND[name]}`
  })
  const clock = clockAt(input, real)
  const step = plot.steps.findLast((each) => each.real <= real)
  const full = step && step.fullAt < Infinity ? `, full in ${duration(step.fullAt - clock)}` : ''
  const left = step ? [`${input.key} ${amount(step.left)} of ${amount(step.limit)}${full}`] : []
  return [timeOfDay(clock).slice(0, -2), counts.join(', ') || 'nothing', ...left].join(' · ')
}
