import { iso } from '../time/instant.ts'
import { ApiError } from './api-error.ts'
import { bytesOf, type ExchangeImage, type Image, isCounted } from './state.ts'
import { type Budget, KEPT_BYTES, type Kept } from './traffic/budget.ts'
import type { Exchange } from './traffic/exchange.ts'
import { JOURNAL_LENGTH } from './traffic/journal.ts'

export type Side = 'before' | 'after'

/** A position in the log of changes, and its real time. */
export interface Position {
  readonly at: number
  readonly real: number
}

/** The position of a named point. */
export interface Found extends Position {
  /** How many points lie before it. */
  readonly points: number
}

/** A request, or a call of the control API that changed something. */
export interface Point {
  readonly id: string
  /** By the clock of its namespace, in milliseconds since the epoch. */
  readonly at: number
  /** Of a control call; for a request it is in the exchange. */
  readonly what?: string
  /** The header fields of a control call: the same array that was received. */
  readonly headers?: readonly string[]
  readonly before: Position
  readonly after: Position
  readonly exchange?: Exchange
  /** The number of the command of a request; 0 where that is not known. */
  readonly command?: number
  readonly kept?: Kept
}

/** Also its own image, and without what can be calculated: the garbage collector moves each object that is kept. */
export class RequestPoint implements Point, ExchangeImage {
  readonly exchange: Exchange
  command = 0
  /** Where it started and ended in the log of changes. */
  readonly #start: number
  readonly #end: number
  /** When it started, in real time. */
  readonly #real: number

  constructor(exchange: Exchange, { at, real }: Position, end: number) {
    this.exchange = exchange
    this.#start = at
    this.#end = end
    this.#real = real
  }

  get part(): 'exchange' {
    return 'exchange'
  }

  get id(): string {
    return this.exchange.id
  }

  get at(): number {
    return this.exchange.at
  }

  get before(): Position {
    return { at: this.#start, real: this.#real }
  }

  get after(): Position {
    return { at: this.#end, real: this.#real + this.exchange.ms }
  }
}

export interface PointView {
  readonly id: string
  readonly at: string
  readonly what: string
}

/** Why nothing older can be reached. */
export type Gone = 'journal' | 'budget' | 'cleared' | 'copied' | 'size'

export const GONE_WORDS: Readonly<Record<Gone, string>> = {
  journal: `it reaches back ${JOURNAL_LENGTH} requests`,
  budget: `what is kept of requests and history takes ${KEPT_BYTES / 1024 / 1024} MiB, the most it may take`,
  cleared: 'the requests were cleared',
  copied: 'the namespace became a copy of another one',
  size: 'pets were replaced that take too much memory to keep',
}

/** About how many bytes an image and a point take. */
const IMAGE_BYTES = 64
const POINT_BYTES = 264

/** The points to which one world can be rewound, and a log of what was there before each change. */
export class History {
  readonly #budget: Budget
  #log: (Image | undefined)[] = []
  /** Positions of those that must be released: the others are not looked at again when they are forgotten. */
  #toRelease: number[] = []
  /** The position of the first of the log; those before `#floor` are gone. */
  #base = 0
  #floor = 0
  /** The first `#dead` of them are gone: to shift an array is to copy it. */
  #points: (Point | undefined)[] = []
  #dead = 0
  #requests = 0
  #controls = 0
  #gone: Gone | undefined
  /** Bytes of images that no point holds yet. */
  #bytes = 0
  readonly #release: (image: Image) => () => void
  /** Called with the points that are about to be removed because the world was rewound. */
  onCut: (points: readonly Point[]) => void = () => {}

  /** `release`: called with each image that is forgotten and whose memory is counted; returns how to undo that. */
  constructor(budget: Budget, release: (image: Image) => () => void) {
    this.#budget = budget
    this.#release = release
  }

  get position(): number {
    return this.#base + this.#log.length
  }

  get points(): readonly Point[] {
    this.#removeDead()
    return this.#points as Point[]
  }

  /** Why there are no older points; undefined where none was removed. */
  get gone(): Gone | undefined {
    return this.#gone
  }

  /** How many control calls became points. */
  get controls(): number {
    return this.#controls
  }

  /** Continues the history of a recorded world, of which nothing can be reached. */
  continueFrom(controls: number, gone: Gone | undefined): void {
    this.#controls = controls
    this.#gone = gone
  }

  /** `bytes`: what only this image keeps alive. */
  log(image: Image, bytes: number = bytesOf(image)): void {
    if (isCounted(image)) this.#toRelease.push(this.position)
    this.#log.push(image)
    this.#bytes += IMAGE_BYTES + bytes
    // It would leave no memory for anything else that is kept of requests.
    if (bytes > KEPT_BYTES / 2) this.end('size')
  }

  /** Bytes of what was logged since the last point. */
  takeBytes(): number {
    const bytes = this.#bytes + POINT_BYTES
    this.#bytes = 0
    return bytes
  }

  /** `before`: the position at which its request started; it ends at this one. */
  request(exchange: Exchange, before: Position): RequestPoint {
    const point = new RequestPoint(exchange, before, this.position + 1)
    this.#log.push(point)
    this.#points.push(point)
    this.#requests++
    while (this.#requests > JOURNAL_LENGTH) this.#forgetFirst('journal')
    return point
  }

  /** Replaces an exchange whose changes could not be stored; undoing them belongs to the exchange. */
  amend(before: Exchange, exchange: Exchange): void {
    const { points } = this
    const index = points.findLastIndex((each) => each.exchange === before)
    const point = points[index]
    if (!point) return
    const isLast = index === points.length - 1
    const amended = new RequestPoint(exchange, point.before, isLast ? this.position : point.after.at)
    amended.command = point.command ?? 0
    this.#points[index] = amended
    const image = this.#log.lastIndexOf(point as RequestPoint)
    if (image >= 0) this.#log[image] = amended
  }

  control(point: Omit<Point, 'id' | 'kept'>): void {
    const id = `ctl_${String(++this.#controls).padStart(6, '0')}`
    const kept: Kept = {
      place: undefined,
      bytes: this.takeBytes(),
      forget: () => this.#forgetTo((each) => each.id === id, 'budget'),
    }
    this.#points.push({ ...point, id, kept })
    this.#budget.keep(kept)
  }

  /** The exchange is forgotten, and with it every point up to it. */
  forgetRequest(exchange: Exchange, gone: Gone): void {
    this.#forgetTo((point) => point.exchange === exchange, gone)
  }

  /** Removes all points. */
  end(gone: Gone): void {
    for (const { kept } of this.points) if (kept) this.#budget.release(kept)
    this.#points = []
    this.#requests = 0
    this.#bytes = 0
    this.#raise(this.position, gone)
  }

  /** Whether the world can be rewound to a position. */
  reaches({ at }: Position): boolean {
    return at >= this.#floor
  }

  /** The position of a point. Throws a 404 ApiError that names the oldest. */
  find(id: string, side: Side): Found {
    const index = this.points.findLastIndex((each) => each.id === id)
    const position = this.points[index]?.[side]
    if (position && this.reaches(position)) {
      return { ...position, points: side === 'before' ? index : index + 1 }
    }
    throw new ApiError('history_gone', this.#goneText(id, side))
  }

  /** The images from a position on, the last first. */
  *back(position: number): Generator<Image> {
    for (let at = this.#log.length - 1; at >= position - this.#base; at--) yield this.#log[at] as Image
  }

  /** Removes everything after a position. Returns how to undo that. */
  cut({ at, points }: Found): () => void {
    const restore = this.#save()
    const released = this.#toRelease.filter((position) => position >= at)
    const retain = released.map((position) => this.#release(this.#log[position - this.#base] as Image))
    this.#toRelease.length -= released.length
    this.#log.length = Math.max(0, at - this.#base)
    this.#bytes = 0
    let left = this.points.length
    while (left > points || (this.#points[left - 1]?.after.at ?? 0) > at) left--
    const removed = this.#points.splice(left) as Point[]
    this.onCut(removed)
    for (const { kept, exchange } of removed) {
      if (exchange) this.#requests--
      if (!kept) continue
      this.#controls--
      this.#budget.release(kept)
    }
    return () => {
      restore()
      for (const each of retain) each()
    }
  }

  /** Everything as it is now, to be put back. */
  #save(): () => void {
    const [log, base, floor, points] = [[...this.#log], this.#base, this.#floor, [...this.points]]
    const toRelease = [...this.#toRelease]
    const [requests, controls, gone] = [this.#requests, this.#controls, this.#gone]
    return () => {
      for (const { kept } of points)
        if (kept && !this.points.some((point) => point.kept === kept)) this.#budget.keep(kept)
      this.#log = log
      this.#toRelease = toRelease
      this.#points = points
      this.#dead = 0
      this.#base = base
      this.#floor = floor
      this.#requests = requests
      this.#controls = controls
      this.#gone = gone
    }
  }

  view(): PointView[] {
    return this.points.map(({ id, at, what = '', exchange }) => ({
      id,
      at: iso(at),
      what: exchange ? whatOf(exchange) : what,
    }))
  }

  #goneText(id: string, side: Side): string {
    const shown = id.slice(0, 100)
    const oldest = this.points[0]
    if (!oldest)
      return `There is no point ${shown} here, and none that can be reached: nothing has happened since.`
    const which = oldest.before.at >= this.#floor ? '' : ' (its side after)'
    const why = this.#gone ? `, because ${GONE_WORDS[this.#gone]}` : ''
    return `The history has no state ${side} ${shown}. The oldest point is ${oldest.id}${which}${why}; GET /_sandbox/history lists them.`
  }

  #forgetFirst(gone: Gone): void {
    const first = this.#points[this.#dead]
    if (first) this.#forgetTo((point) => point === first, gone)
  }

  #forgetTo(isMeant: (point: Point) => boolean, gone: Gone): void {
    let index = this.#dead
    while (index < this.#points.length && !isMeant(this.#points[index] as Point)) index++
    if (index === this.#points.length) return
    let floor = this.#floor
    for (; this.#dead <= index; this.#dead++) {
      const { after, kept, exchange } = this.#points[this.#dead] as Point
      this.#points[this.#dead] = undefined
      floor = after.at
      if (kept) this.#budget.release(kept)
      if (exchange) this.#requests--
    }
    if (this.#dead >= MOST_DEAD) this.#removeDead()
    this.#raise(floor, gone)
  }

  #removeDead(): void {
    if (this.#dead === 0) return
    this.#points = this.#points.slice(this.#dead)
    this.#dead = 0
  }

  #raise(floor: number, gone: Gone): void {
    this.#gone = gone
    while ((this.#toRelease[0] ?? floor) < floor)
      this.#release(this.#log[(this.#toRelease.shift() as number) - this.#base] as Image)
    for (; this.#floor < floor; this.#floor++) this.#log[this.#floor - this.#base] = undefined
    const dead = this.#floor - this.#base
    if (dead < MOST_DEAD && dead < this.#log.length) return
    this.#log = this.#log.slice(dead)
    this.#base = this.#floor
  }
}

const whatOf = ({ method, path, status, secrets }: Exchange): string =>
  `${method} ${secrets.mask(path)} ${status}`

/** Places of a list that are empty before it is copied. */
const MOST_DEAD = 1024
