import { useSignal } from '@preact/signals'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import {
  addressOf,
  countedEvents,
  type HistoryEvent,
  isLater,
  kept,
  paused,
  selected,
  span,
} from '../../data/events.ts'
import { command, go, point } from '../../data/location.ts'
import { chosenKey, clock, limits, tick } from '../../data/state.ts'
import { amount } from '../../text/quota.ts'
import { visible } from '../../text/text.ts'
import { duration } from '../../text/time.ts'
import { Handle } from './handle.tsx'
import {
  type Bar,
  CLASSES,
  isMark,
  markText,
  nearest,
  type Plot,
  type PlotInput,
  plotOf,
  wordsAt,
} from './plot.ts'
import './timeline.css'

const FILL = { bad: 'bad-bar', warn: 'warn-bar', good: 'bar' } as const

/** Where things are, in pixels. */
interface Room {
  readonly width: number
  readonly height: number
  /** The line of what was done. */
  readonly lane: number
  readonly top: number
  readonly base: number
  readonly isCompact: boolean
}

function roomOf(width: number): Room {
  const isCompact = width < 600
  const height = isCompact ? 92 : width < 1000 ? 100 : 126
  const lane = isCompact ? 16 : height === 100 ? 24 : 40
  return { width, height, lane, top: lane + 8, base: height - 20, isCompact }
}

/** Time is a place: requests, what was left of a quota, and what was done, along real time. */
export function Timeline() {
  const host = useRef<HTMLDivElement>(null)
  const width = useSignal(1200)
  const pausedAt = useRef(0)
  useLayoutEffect(() => {
    const sizes = new ResizeObserver(([entry]) => {
      width.value = Math.max(200, entry?.contentRect.width ?? 0)
    })
    sizes.observe(host.current as Element)
    return () => sizes.disconnect()
  }, [width])
  const room = roomOf(width.value)
  const now = paused.value
    ? pausedAt.current || tick.value
    : Math.max(tick.value, kept.value.at(-1)?.real ?? 0)
  pausedAt.current = paused.value ? now : 0
  const told = clock.value
  const input: PlotInput = {
    events: kept.value,
    counted: countedEvents.value,
    now,
    clock: told ? Date.parse(told.now) + (told.frozen ? 0 : now - told.readAt) : now,
    left: room.isCompact ? 10 : 34,
    right: room.width - (room.isCompact ? 38 : 62),
    key: chosenKey.value,
    isPale: (event) => event.branch !== undefined || isLater(event),
  }
  const plot = useMemo(
    () => plotOf(input),
    [input.events, input.counted, now, input.clock, room.width, input.key, point.value],
  )
  return (
    <section class="timeline" aria-label="Timeline" style={{ height: `${room.height}px` }}>
      {!room.isCompact && <Legend name={input.key} />}
      <div ref={host} class="plot">
        <svg width={room.width} height={room.height} role="img" aria-label={sentenceOf(plot, input)}>
          <Bars plot={plot} room={room} />
          <Quota plot={plot} room={room} />
          <Gaps plot={plot} room={room} />
          <Calls plot={plot} room={room} />
          {plot.labels.map(({ x, text }) => (
            <text key={text} x={x} y={room.base + 15} text-anchor="middle">
              {text}
            </text>
          ))}
          <Chosen plot={plot} room={room} />
        </svg>
        <Hover plot={plot} room={room} input={input} />
        <Handle scale={plot.scale} isCompact={room.isCompact} top={room.lane} base={room.base} />
      </div>
    </section>
  )
}

function sentenceOf({ scale, steps, marks, ticks }: Plot, { events, key }: PlotInput): string {
  const requests = events.filter(({ kind }) => kind === 'request').length
  const left = steps.at(-1)
  return [
    `${requests} requests in ${duration(scale.to - scale.from)}`,
    `${marks.length + ticks.length} control calls`,
    ...(left ? [`${key} has ${left.left} of ${left.limit} left this minute`] : []),
  ].join(', ')
}

const Legend = ({ name }: { name: string }) => (
  <p class="legend" aria-hidden="true">
    <span class="swatch good" /> served <span class="swatch warn" /> refused <span class="swatch bad" />{' '}
    failed or lost <span class="swatch line" /> {visible(name)} has left this minute
  </p>
)

interface PartProps {
  readonly plot: Plot
  readonly room: Room
}

function Bars({ plot: { bars, most, scale }, room: { top, base, isCompact } }: PartProps) {
  return (
    <g>
      <path d={`M${scale.left} ${base + 0.5}H${scale.right}`} stroke="var(--line)" />
      {!isCompact && (
        <>
          <path
            d={`M${scale.left} ${top + 0.5}H${scale.right}`}
            stroke="var(--line)"
            stroke-dasharray="1 3"
          />
          <text x={scale.left - 8} y={top + 4} text-anchor="end">
            {most}
          </text>
          <text x={scale.left - 8} y={base} text-anchor="end">
            0
          </text>
        </>
      )}
      {bars.map((bar) => (
        <Stack key={bar.from} bar={bar} most={most} plot={scale} top={top} base={base} />
      ))}
    </g>
  )
}

/** From below: failed or lost, refused, served; what is undone or later is pale and on top. */
function Stack({
  bar,
  most,
  plot,
  top,
  base,
}: {
  bar: Bar
  most: number
  plot: Plot['scale']
  top: number
  base: number
}) {
  const gapAt = (real: number) => plot.gaps.find(({ from, to }) => real > from && real < to)
  const left = plot.x(gapAt(bar.from)?.to ?? bar.from)
  const right = plot.x(gapAt(bar.to)?.from ?? bar.to)
  let y = base
  const parts = [false, true].flatMap((isPale) =>
    CLASSES.flatMap((name) => {
      const count = isPale ? bar.pale[name] : bar.counts[name] - bar.pale[name]
      if (count === 0) return []
      const height = Math.max(2, (count / most) * (base - top))
      y -= height
      return [{ name, isPale, y, height }]
    }),
  )
  return (
    <>
      {parts.map(({ name, isPale, y, height }) => (
        <rect
          key={`${name} ${isPale}`}
          x={left}
          y={y}
          width={Math.max(2, right - left - 1.5)}
          height={height}
          fill={`var(--${FILL[name]})`}
          opacity={isPale ? 0.38 : undefined}
        />
      ))}
    </>
  )
}

const heightOf = ({ top, base }: Room, left: number, limit: number): number =>
  top + (1 - Math.min(1, left / Math.max(1, limit))) * (base - top)

/** Level, straight down at a counted request, straight up where the window ends; never sloped. */
function Quota({ plot: { steps, scale }, room }: PartProps) {
  const last = steps.at(-1)
  if (!last) return null
  const paths = { solid: '', pale: '' }
  for (const [index, step] of steps.entries()) {
    const next = steps[index + 1]
    const y = heightOf(room, step.left, step.limit).toFixed(1)
    const end = (next ? scale.x(next.real) : scale.right).toFixed(1)
    const drop = next ? `V${heightOf(room, next.left, next.limit).toFixed(1)}` : ''
    paths[step.isPale ? 'pale' : 'solid'] += `M${scale.x(step.real).toFixed(1)} ${y}H${end}${drop}`
  }
  const view = limits.value.get(chosenKey.value)?.minute
  const [left, limit] =
    point.value === undefined && view ? [view.remaining, view.limit] : [last.left, last.limit]
  const y = Math.min(room.base, Math.max(room.top + 4, heightOf(room, last.left, last.limit) + 4))
  return (
    <g class="quota">
      <path d={paths.solid} />
      <path d={paths.pale} class="pale" />
      <text x={scale.right + 7} y={y}>
        <tspan>{amount(left)}</tspan>
        {!room.isCompact && `/${amount(limit)}`}
      </text>
    </g>
  )
}

const Gaps = ({ plot: { scale }, room: { lane, base } }: PartProps) => (
  <g>
    {scale.gaps.map((gap) => {
      const [left, right] = [scale.x(gap.from), scale.x(gap.to)]
      const middle = (left + right) / 2
      return (
        <g key={gap.from}>
          <rect x={left} y={lane} width={right - left} height={base - lane + 3} fill="var(--paper)" />
          <path d={`M${middle - 4} ${base + 4}l3 -8m2 8l3 -8`} stroke="var(--edge)" />
          {right - left >= 10 && (
            <text class="words" x={middle} y={base + 15} text-anchor="middle">
              {duration(gap.length)}
            </text>
          )}
        </g>
      )
    })}
  </g>
)

/** Clock moves and rewinds go through the height; other control calls are marks, with words where there is room. */
function Calls({ plot: { marks, ticks, scale }, room: { lane, base, isCompact } }: PartProps) {
  let free = 0
  const all = [...marks, ...ticks].sort((a, b) => a.real - b.real)
  const taken = all.map(({ real }) => scale.x(real))
  return (
    <g>
      {all.map((call) => {
        const x = scale.x(call.real)
        const isHigh = isMark(call)
        const text = isHigh ? markText(call) : visible(call.what)
        const width = 12 + text.length * 6.4
        const isClear =
          x > free && x + width < scale.right && !taken.some((mark) => mark > x && mark < x + width)
        const hasText = isHigh ? x > free - 40 : !isCompact && text.length < 40 && isClear
        if (hasText) free = x + width
        return (
          <g key={call.name} opacity={call.branch === undefined ? undefined : 0.6}>
            {isHigh ? (
              <path class={call.undid === undefined ? 'move' : 'back'} d={`M${x} ${lane - 8}V${base}`} />
            ) : (
              <>
                <path class="tick" d={`M${x} ${lane + 3}V${base}`} />
                <path class="diamond" d={`M${x} ${lane - 8}l4 4l-4 4l-4 -4z`} />
              </>
            )}
            {hasText && (
              <text
                class={isHigh ? 'words strong' : 'words'}
                x={x + width > scale.right + 40 ? x - 5 : x + (isHigh ? 5 : 8)}
                text-anchor={x + width > scale.right + 40 ? 'end' : 'start'}
                y={lane}
              >
                {text}
              </text>
            )}
          </g>
        )
      })}
    </g>
  )
}

/** The event that is looked at, and the span of time. */
function Chosen({ plot: { scale }, room: { lane, base } }: PartProps) {
  const time = span.value
  const event = selected.value
  return (
    <g>
      {time && (
        <rect
          class="span"
          x={scale.x(time.from)}
          y={lane}
          width={Math.max(2, scale.x(time.to) - scale.x(time.from))}
          height={base - lane}
        />
      )}
      {event && <path class="looked" d={`M${scale.x(event.real) - 5} ${base + 2}h10`} />}
    </g>
  )
}

/** What is under the pointer in words; a press opens the nearest request, a drag chooses a span. */
function Hover({ plot, room, input }: PartProps & { readonly input: PlotInput }) {
  const at = useSignal<number | undefined>(undefined)
  const from = useRef<number | undefined>(undefined)
  const { scale } = plot
  const realOf = ({ clientX, currentTarget }: PointerEvent) =>
    scale.instant(clientX - (currentTarget as Element).getBoundingClientRect().left + scale.left)
  const openNearest = (real: number) => {
    const event = nearest(input.events, real)
    if (event) go(addressOf(event))
  }
  const onKey = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
    const real = at.value ?? scale.to
    if (event.key === 'Escape' && span.value) go({ from: undefined, to: undefined }, true)
    else if (event.key === 'Enter') openNearest(real)
    else if (by !== 0) {
      const next = Math.min(scale.to, Math.max(scale.from, scale.instant(scale.x(real) + 8 * by)))
      if (event.shiftKey) {
        const time = span.value ?? { from: real, to: real }
        const [first, last] = [Math.min(time.from, next), by < 0 ? time.to : Math.max(time.to, next)]
        go({ from: String(Math.round(first)), to: String(Math.round(last)) }, true)
      }
      at.value = next
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  const mark = at.value === undefined ? undefined : callNear(plot, scale.x(at.value))
  const words = at.value === undefined ? '' : (mark && visible(mark.what)) || wordsAt(plot, input, at.value)
  const x = at.value === undefined ? 0 : scale.x(at.value)
  const isRight = x > (scale.left + scale.right) / 2
  return (
    <div
      class="surface"
      role="group"
      tabIndex={0}
      aria-label="Values: left and right move along the timeline, with Shift they choose a span, Enter opens the request"
      style={{ left: `${scale.left}px`, width: `${scale.right - scale.left}px` }}
      data-command={command('history')}
      onPointerMove={(event) => {
        at.value = realOf(event)
      }}
      onPointerLeave={() => {
        at.value = undefined
      }}
      onBlur={() => {
        at.value = undefined
      }}
      onPointerDown={(event) => {
        from.current = realOf(event)
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerUp={(event) => {
        const [start, end] = [from.current ?? 0, realOf(event)]
        from.current = undefined
        if (Math.abs(scale.x(end) - scale.x(start)) < 4) openNearest(end)
        else {
          const [first, last] = start < end ? [start, end] : [end, start]
          go({ from: String(Math.round(first)), to: String(Math.round(last)) }, true)
        }
      }}
      onKeyDown={onKey}
    >
      {at.value !== undefined && (
        <>
          <span
            class="hairline"
            style={{
              left: `${x - scale.left}px`,
              top: `${room.lane - 6}px`,
              height: `${room.base - room.lane + 6}px`,
            }}
          />
          <output
            class="value"
            style={{
              top: `${room.top + 8}px`,
              ...(isRight ? { right: `${scale.right - x + 8}px` } : { left: `${x - scale.left + 8}px` }),
            }}
          >
            {words}
          </output>
        </>
      )}
    </div>
  )
}

const callNear = ({ marks, ticks, scale }: Plot, x: number): (HistoryEvent & { what: string }) | undefined =>
  [...marks, ...ticks].find(({ real }) => Math.abs(scale.x(real) - x) < 5)
