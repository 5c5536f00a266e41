import type { CallEvent, Counted, HistoryEvent } from '../../data/events.ts'
import { UNLIMITED } from '../../text/quota.ts'
import { visible } from '../../text/text.ts'
import { dateOf, dayOf, duration, timeOfDay } from '../../text/time.ts'
import { type Scale, scaleOf } from './scale.ts'

/** The classes of requests in words, in the order of the legend. */
export const CLASS_WORDS = { good: 'served', warn: 'refused', bad: 'failed or lost' } as const
type Class = keyof typeof CLASS_WORDS
export const CLASSES = Object.keys(CLASS_WORDS) as readonly Class[]

export const classOf = (status: number): Class =>
  status === 0 || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'

export interface Bar {
  /** In real time. */
  readonly from: number
  readonly to: number
  readonly counts: Readonly<Record<Class, number>>
  /** Of those, what was undone or comes later than the point that is shown. */
  readonly pale: Readonly<Record<Class, number>>
}

/** What is left of a quota from an instant of real time on. */
export interface Step {
  readonly real: number
  readonly left: number
  readonly limit: number
  /** When the window ends, in real time. */
  readonly ends: number
  readonly isPale: boolean
}

export interface Label {
  readonly x: number
  readonly text: string
}

export interface Plot {
  readonly scale: Scale
  readonly bars: readonly Bar[]
  /** The largest bar. */
  readonly most: number
  readonly steps: readonly Step[]
  readonly labels: readonly Label[]
  readonly calls: readonly DrawnCall[]
}

/** A control call, with its words where there is room. */
interface DrawnCall {
  readonly call: CallEvent
  readonly words: (Label & { readonly anchor: 'start' | 'end' }) | undefined
}

export interface PlotInput {
  /** Oldest first. */
  readonly events: readonly HistoryEvent[]
  readonly counted: readonly Counted[]
  /** Real time, and what the clock shows then. */
  readonly now: number
  readonly clock: number
  readonly left: number
  readonly right: number
  /** The name of the key whose quota is drawn. */
  readonly key: string
  readonly isPale: (event: HistoryEvent) => boolean
}

/** Clock moves and rewinds. */
export const isMark = ({ line, undid }: CallEvent): boolean => undid !== undefined || line?.[0] === 'clock'

const markText = ({ what, undid }: CallEvent): string =>
  undid === undefined ? what.replace(/^clock /, '').replace(/(\d)(d|h|m|s)\b/, '$1 $2') : 'back'

export function plotOf(input: PlotInput): Plot {
  const { events, counted, now, left, right } = input
  const instants = [...events, ...counted].map(({ real }) => real).sort((a, b) => a - b)
  const scale = scaleOf(instants, now, left, right)
  const bars = barsOf(input, scale)
  const calls = events.filter((event): event is CallEvent => event.kind === 'call')
  return {
    scale,
    bars,
    most: Math.max(1, ...bars.map(({ counts }) => counts.bad + counts.warn + counts.good)),
    steps: stepsOf(input, scale.from),
    labels: labelsOf(input, scale, calls.filter(isMark)),
    calls: callsOf(calls, scale),
  }
}

const BAR_STEPS = [0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600, 86_400].map((seconds) => seconds * 1000)
const NARROWEST = 7

/** On multiples of real time, so that they do not move as time goes on. */
function barsOf({ events, counted, isPale }: PlotInput, { perMs }: Scale): Bar[] {
  const step = BAR_STEPS.find((each) => each * perMs >= NARROWEST) ?? (BAR_STEPS.at(-1) as number)
  const bars = new Map<number, { counts: Record<Class, number>; pale: Record<Class, number> }>()
  const add = (real: number, status: number, count: number, isPale: boolean) => {
    const from = Math.floor(real / step) * step
    const bar = bars.get(from) ?? { counts: { bad: 0, warn: 0, good: 0 }, pale: { bad: 0, warn: 0, good: 0 } }
    bars.set(from, bar)
    bar.counts[classOf(status)] += count
    if (isPale) bar.pale[classOf(status)] += count
  }
  for (const event of events)
    if (event.kind === 'request') add(event.real, event.entry.status, 1, isPale(event))
  for (const { real, statuses } of counted)
    for (const [status, count] of Object.entries(statuses)) add(real, Number(status), count, false)
  return [...bars].sort(([a], [b]) => a - b).map(([from, bar]) => ({ from, to: from + step, ...bar }))
}

/** The minute of a key: down where a request is counted, up where the window ends or a control call ends it. */
function stepsOf({ events, key, isPale, now }: PlotInput, start: number): Step[] {
  const steps: Step[] = []
  let limit = 0
  let level: Step | undefined
  const to = (real: number, left: number, ends: number, isPale: boolean) => {
    level = { real, left, limit, ends, isPale }
    steps.push(level)
  }
  const endBy = (real: number) => {
    if (level && level.ends <= real && level.left < limit) to(level.ends, limit, Infinity, level.isPale)
  }
  /** The level of the present, which a rewind returns to. */
  let present: Step | undefined
  for (const event of events) {
    endBy(event.real)
    const pale = isPale(event)
    if (event.kind === 'request') {
      const { keyName, quota } = event.entry
      if (keyName !== key || !quota || quota.after.minute.limit === UNLIMITED) continue
      const { before, after } = quota
      limit = after.minute.limit
      if (!level) to(start, before.minute.remaining, Infinity, pale)
      const ends = event.real + Date.parse(after.minute.resetsAt) - event.at
      to(event.real, after.minute.remaining, after.minute.remaining < limit ? ends : Infinity, pale)
    } else if (level && event.undid !== undefined) {
      const then = present ?? { left: limit, ends: Infinity }
      to(event.real, then.left, then.ends, pale)
    } else if (level) {
      const moved = after(event, level, key)
      if (moved) to(event.real, moved.left, moved.ends, pale)
    }
    if (event.branch === undefined && level) present = level
  }
  endBy(now)
  return steps
}

/** What a control call makes of a quota; undefined where it leaves it as it is. */
function after(
  { line = [], real, at, before = at, isFrozen }: CallEvent,
  { left, limit, ends }: Step,
  key: string,
): Pick<Step, 'left' | 'ends'> | undefined {
  const [command, name, flag, value] = line
  const full = { left: limit, ends: Infinity }
  if (command === 'reset') return line.length === 1 || line.includes('limits') ? full : undefined
  if (command === 'limits' && name === key) {
    if (flag === '--refill') return full
    if (flag === '--leave') return { left: Number(value), ends: ends === Infinity ? real + 60_000 : ends }
  }
  if (command !== 'clock') return undefined
  if (at < before) return full
  const moved = ends - (at - before)
  if (moved <= real) return full
  // A window does not end while the clock stands.
  return { left, ends: isFrozen ? Infinity : moved }
}

/** What the clock of the namespace showed at an instant of real time: between two events it ran evenly, or stood. */
export function clockAt(
  { events, now, clock }: Pick<PlotInput, 'events' | 'now' | 'clock'>,
  real: number,
): number {
  let [low, high] = [0, events.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle] as HistoryEvent).real <= real) low = middle + 1
    else high = middle
  }
  const next = events[low]
  const [nextReal, nextAt] = next ? [next.real, startOf(next)] : [now, clock]
  const last = events[low - 1]
  if (!last) return nextAt - (nextReal - real)
  const length = nextReal - last.real
  const share = length <= 0 ? 0 : Math.min(1, Math.max(0, (nextAt - last.at) / length))
  return last.at + (real - last.real) * share
}

const startOf = (event: HistoryEvent): number =>
  event.kind === 'call' && event.undid === undefined ? (event.before ?? event.at) : event.at

type Range = readonly [from: number, to: number]

const isFree = (taken: readonly Range[], [from, to]: Range): boolean =>
  !taken.some((each) => each[1] > from && each[0] < to)

/** Beside each call its words, unless others are there: moves of the clock first. */
function callsOf(calls: readonly CallEvent[], scale: Scale): DrawnCall[] {
  const signs = calls.map(({ real }): Range => [scale.x(real) - 4, scale.x(real) + 4])
  const texts: Range[] = []
  const drawn = [...calls].sort((a, b) => Number(isMark(b)) - Number(isMark(a)))
  return drawn.map((call): DrawnCall => {
    const x = scale.x(call.real)
    const text = isMark(call) ? markText(call) : visible(call.what)
    const width = text.length * 6.4
    const places: Range[] = [
      [x + 8, x + 8 + width],
      [x - 8 - width, x - 8],
    ]
    const fits = places.filter(([from, to]) => from >= scale.left - 4 && to <= scale.right + 4)
    const place =
      fits.find((each) => isFree([...texts, ...signs], each)) ??
      (isMark(call) ? places.find((each) => isFree(texts, each)) : undefined)
    if (!place) return { call, words: undefined }
    texts.push(place)
    const isAfter = place[0] > x
    return { call, words: { x: place[isAfter ? 0 : 1], text, anchor: isAfter ? 'start' : 'end' } }
  })
}

const LABEL_STEPS = [1, 2, 5, 10, 30, 60, 300, 900, 3600, 6 * 3600, 86_400].map((seconds) => seconds * 1000)
const LABEL_WIDTH = 82

/** Times of the namespace's clock along the axis, none over another; behind a mark with the date. */
function labelsOf(input: PlotInput, scale: Scale, marks: readonly CallEvent[]): Label[] {
  const labels: Label[] = []
  const taken: Range[] = scale.gaps.map((gap) => [scale.x(gap.from) - 20, scale.x(gap.to) + 20])
  const put = (x: number, text: string) => {
    const half = text.length * 3.4
    const place = Math.min(scale.right - half, Math.max(scale.left + half, x))
    if (!isFree(taken, [place - half, place + half])) return
    taken.push([place - half - 6, place + half + 6])
    labels.push({ x: place, text })
  }
  let date = ''
  for (const mark of marks) {
    const day = dateOf(mark.at)
    const isNewDay = day !== dateOf(mark.before ?? mark.at) || mark.undid !== undefined
    if (isNewDay && day !== date) {
      const text = `${dayOf(mark.at)} ${timeOfDay(mark.at, 0)}`
      put(scale.x(mark.real) + text.length * 3.4, text)
      date = day
    }
  }
  const every = LABEL_STEPS.find((each) => each * scale.perMs >= LABEL_WIDTH) ?? 86_400_000
  let isFrozen = false
  for (let real = Math.ceil(scale.from / every) * every; real < scale.to; real += every) {
    const gap = scale.gaps.find(({ from, to }) => real > from && real < to)
    if (gap) {
      real = Math.floor(gap.to / every) * every
      continue
    }
    const at = clockAt(input, real)
    const stands = Math.abs(at - clockAt(input, real - Math.min(every, 1000))) < 1
    if (!stands) put(scale.x(real), timeOfDay(at, 0))
    else if (!isFrozen) put(scale.x(real), `frozen ${timeOfDay(at, 0)}`)
    isFrozen = stands
  }
  return labels.sort((a, b) => a.x - b.x)
}

/** What the plot shows at an instant, in words. */
export function wordsAt(plot: Plot, input: PlotInput, real: number): string {
  const gap = plot.scale.gaps.find(({ from, to }) => real > from && real < to)
  if (gap) return `nothing for ${duration(gap.length)}`
  const bar = plot.bars.find(({ from, to }) => real >= from && real < to)
  const counts = CLASSES.flatMap((name) =>
    bar?.counts[name] ? `${bar.counts[name]} ${CLASS_WORDS[name]}` : [],
  )
  const step = plot.steps.findLast((each) => each.real <= real)
  const full =
    step && step.left < step.limit && step.ends < Infinity && `, full in ${duration(step.ends - real)}`
  const left = step ? [`${input.key} ${step.left} of ${step.limit}${full || ''}`] : []
  return [timeOfDay(clockAt(input, real)).slice(0, -2), counts.join(', ') || 'nothing', ...left].join(' · ')
}

/** The request or control call that is nearest to an instant. */
export function nearest(events: readonly HistoryEvent[], real: number): HistoryEvent | undefined {
  let best: HistoryEvent | undefined
  for (const event of events)
    if (!best || Math.abs(event.real - real) < Math.abs(best.real - real)) best = event
  return best
}
