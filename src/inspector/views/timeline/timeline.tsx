import { useSignal } from '@preact/signals'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { plural } from '../../../text/plural.ts'
import { hasState } from '../../data/api.ts'
import { callText } from '../../data/event.ts'
import { countedEvents, paused, rowEvents, visibleEvents } from '../../data/events.ts'
import { addressOf, isLater, nearest, pointReal, selected, span } from '../../data/listed.ts'
import { command, go, isAll, point } from '../../data/location.ts'
import { chosenKey, clock, limits, presentTime, tick } from '../../data/state.ts'
import { xIn } from '../../parts/window.ts'
import { amount, duration, visible } from '../../text/text.ts'
import { Handle } from './handle.tsx'
import { type Drawing, isMark, LEGEND, PARTS, type PlotInput, plotOf, roomOf, wordsAt } from './plot.ts'
import './timeline.css'

/** The timeline along real time: requests, the remaining quota, and control calls. */
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
    : Math.max(tick.value, rowEvents.value.at(-1)?.real ?? 0)
  pausedAt.current = paused.value ? now : 0
  const minute = limits.value.get(chosenKey.value)?.minute
  // The remaining quota is written to the right of the plot, with as many digits as the limit.
  const digits = amount(minute?.limit ?? 0).length
  const beside = room.isCompact ? Math.max(46, 10 + 7 * digits) : Math.max(62, 10 + 7 * (2 * digits + 1))
  const input: PlotInput = {
    events: visibleEvents.value,
    counted: countedEvents.value,
    now,
    clock: presentTime(now),
    left: room.isCompact ? 10 : 34,
    right: room.width - beside,
    // A quota belongs to a key of one namespace.
    key: isAll.value || !hasState.value ? '' : chosenKey.value,
    isFrozen: clock.value?.frozen,
    isAll: isAll.value,
    minute: point.value === undefined ? minute : undefined,
    before: pointReal.value,
    isPale: (event) => event.branch !== undefined || isLater(event),
  }
  const plot = useMemo(
    () => ({ ...plotOf(input), room }),
    [input.events, input.counted, now, input.clock, room.width, input.key, input.minute, point.value],
  )
  return (
    <section class="timeline" aria-label="Timeline" style={{ height: `${room.height}px` }}>
      {!room.isCompact && <Legend keyName={input.key} />}
      <div ref={host} class="plot">
        <svg width={room.width} height={room.height} role="img" aria-label={sentenceOf(plot, input)}>
          <Bars {...plot} />
          <Quota {...plot} />
          <Gaps {...plot} />
          <Calls {...plot} />
          {plot.labels.map(({ x, text }) => words('', x, room.base + 15, text))}
          <Selection {...plot} />
        </svg>
        <Hover plot={plot} input={input} />
        <Handle {...plot} />
      </div>
    </section>
  )
}

function sentenceOf({ scale, steps, calls }: Drawing, { events, key }: PlotInput): string {
  const requests = events.filter(({ kind }) => kind === 'request').length
  const left = steps.at(-1)
  return [
    `${plural(requests, 'request')} in ${duration(scale.to - scale.from)}`,
    plural(calls.length, 'control call'),
    ...(left ? [`${key} has ${amount(left.left)} of ${amount(left.limit)} left this minute`] : []),
  ].join(', ')
}

const Legend = ({ keyName }: { keyName: string }) => (
  <p class="legend line quiet small" aria-hidden="true">
    {Object.entries(LEGEND).map(([name, text]) => (
      <span key={name}>
        <svg class="swatch" aria-hidden="true">
          <rect class={name} width={8} height={8} />
        </svg>{' '}
        {text}
      </span>
    ))}
    {keyName !== '' && (
      <span>
        <span class="swatch quota" /> {visible(keyName)}: left this minute
      </span>
    )}
  </p>
)

const path = (classes: string, d: string) => <path class={classes} d={d} />
export const rect = (classes: string, x: number, y: number, width: number, height: number) => (
  <rect class={classes} {...{ x, y, width, height }} />
)
const words = (classes: string, x: number, y: number, text: string | number, anchor = 'middle') => (
  <text class={classes} x={x} y={y} text-anchor={anchor}>
    {text}
  </text>
)

function Bars({ bars, most, scale, room: { top, base, isCompact } }: Drawing) {
  const { left, right } = scale
  const drawn = bars.flatMap(({ from, to, counts }) => {
    const x = scale.x(scale.gapAt(from)?.to ?? from)
    const width = Math.max(2, scale.x(scale.gapAt(to)?.from ?? to) - x - 1.5)
    let y = base
    return PARTS.map((part) => {
      const count = counts[part] ?? 0
      const height = count === 0 ? 0 : Math.max(2, (count / most) * (base - top))
      y -= height
      return rect(part, x, y, width, height)
    })
  })
  const ends = [words('', left - 8, top + 4, most, 'end'), words('', left - 8, base, 0, 'end')]
  return [
    path('line', `M${left} ${base + 0.5}H${right}`),
    !isCompact && [path('line most', `M${left} ${top + 0.5}H${right}`), ...ends],
    drawn,
  ]
}

/** A step line: straight down at a counted request, straight up at the end of the window. */
function Quota({ steps, scale, room: { top, base, isCompact } }: Drawing) {
  const last = steps.at(-1)
  if (!last) return null
  const yOf = ({ left, limit }: typeof last) =>
    top + (1 - Math.min(1, left / Math.max(1, limit))) * (base - top)
  const drawn = { '': '', pale: '' }
  for (const [index, step] of steps.entries()) {
    const next = steps[index + 1]
    const drop = next ? `H${scale.x(next.real)}V${yOf(next)}` : `H${scale.right}`
    drawn[step.isPale ? 'pale' : ''] += `M${scale.x(step.real)} ${yOf(step)}${drop}`
  }
  const y = Math.min(base, Math.max(top, yOf(last)) + 4)
  const left = `${amount(last.left)}${isCompact ? '' : `/${amount(last.limit)}`}`
  return (
    <g class="quota">
      {Object.entries(drawn).map(([classes, d]) => path(classes, d))}
      {words('strong', scale.right + 7, y, left, 'start')}
    </g>
  )
}

const Gaps = ({ scale, room: { lane, base } }: Drawing) =>
  scale.gaps.map((gap) => {
    const [left, right] = [scale.x(gap.from), scale.x(gap.to)]
    const middle = (left + right) / 2
    return [
      rect('gap', left, lane, right - left, base - lane + 3),
      path('gap', `M${middle - 4} ${base + 4}l3 -8m2 8l3 -8`),
    ]
  })

/** Clock changes and rewinds have the full height. Other control calls are marks, with words if there is space. */
const Calls = ({ calls, scale, room: { lane, base } }: Drawing) =>
  calls.map(({ call, words: said }) => {
    const x = scale.x(call.real)
    const pale = call.branch === undefined ? '' : ' undone'
    const mark = call.undid === undefined ? 'move' : 'back'
    return [
      ...(isMark(call)
        ? [path(mark + pale, `M${x} ${lane - 8}V${base}`)]
        : [
            path(`tick${pale}`, `M${x} ${lane + 3}V${base}`),
            path(`diamond${pale}`, `M${x} ${lane - 8}l4 4l-4 4l-4 -4z`),
          ]),
      said && words(`words${isMark(call) ? ' strong' : ''}${pale}`, said.x, lane, said.text, said.anchor),
    ]
  })

/** The selected event, and the selected range. */
function Selection({ scale, room: { lane, base } }: Drawing) {
  const time = span.value
  const event = selected.value
  const widthOf = (from: number, to: number) => Math.max(2, scale.x(to) - scale.x(from))
  return [
    time && rect('span', scale.x(time.from), lane, widthOf(time.from, time.to), base - lane),
    event && path('looked', `M${scale.x(event.real) - 5} ${base + 2}h10`),
  ]
}

const selectSpan = (one: number, other: number): void => {
  const [from, to] = [Math.min(one, other), Math.max(one, other)].map((real) => String(Math.round(real)))
  go({ from, to }, true)
}

/** Describes the plot under the pointer, or at the focus, where it stays: each change of a slider is read aloud. */
function Hover({ plot, input }: { plot: Drawing; input: PlotInput }) {
  const at = useSignal<number | undefined>(undefined)
  const anchor = useRef<number | undefined>(undefined)
  const { scale, room } = plot
  const { lane, top, base, isCompact } = room
  const real = at.value ?? scale.to
  const realOf = (event: PointerEvent) => scale.instant(xIn(event.currentTarget, event) + scale.left)
  const openNearest = (real: number) => {
    const event = nearest(rowEvents.value, real)
    if (event) go(addressOf(event))
  }
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -8, ArrowRight: 8 }[event.key]
    const { from = 0, to = 0 } = span.value ?? {}
    // The end of a span moves from where it is, wherever the pointer has gone since it was dragged.
    const start = event.shiftKey && span.value && anchor.current ? from + to - anchor.current : real
    anchor.current = event.shiftKey ? (anchor.current ?? real) : undefined
    if (event.key === 'Escape' && span.value) go({ from: undefined, to: undefined }, true)
    else if (event.key === 'Enter') openNearest(real)
    else if (by !== undefined) {
      at.value = Math.min(scale.to, Math.max(scale.from, scale.instant(scale.x(start) + by)))
      if (anchor.current !== undefined) selectSpan(anchor.current, at.value)
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  const x = scale.x(real)
  const call = plot.calls.find((each) => Math.abs(scale.x(each.call.real) - x) < 5)?.call
  const description = call ? visible(callText(call)) : wordsAt(plot, input, real)
  const isRight = x > (scale.left + scale.right) / 2
  const beside = isRight ? { right: `${scale.right - x + 8}px` } : { left: `${x - scale.left + 8}px` }
  return (
    <div
      class="surface"
      role="slider"
      tabIndex={0}
      aria-label="Values: left and right move along the timeline, with Shift they choose a span, Enter opens the request"
      aria-valuemin={scale.from}
      aria-valuemax={scale.to}
      aria-valuenow={real}
      aria-valuetext={description}
      style={{ left: `${scale.left}px`, width: `${scale.right - scale.left}px` }}
      data-command={isAll.value ? undefined : command('history')}
      onPointerMove={(event) => (at.value = realOf(event))}
      onPointerLeave={() => (at.value = undefined)}
      onFocus={({ currentTarget }) => {
        if (currentTarget.matches(':focus-visible')) at.value = scale.to
      }}
      onBlur={() => (at.value = anchor.current = undefined)}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        anchor.current = realOf(event)
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerUp={(event) => {
        const [start, end] = [anchor.current, realOf(event)]
        // Without the capture, the press began elsewhere.
        if (start === undefined || !event.currentTarget.hasPointerCapture(event.pointerId)) return
        if (Math.abs(scale.x(end) - scale.x(start)) >= 4) return selectSpan(start, end)
        anchor.current = undefined
        openNearest(end)
      }}
      onPointerCancel={() => (anchor.current = undefined)}
      onKeyDown={onKey}
    >
      {at.value !== undefined && (
        <>
          <span
            class="hairline"
            style={{ left: `${x - scale.left}px`, top: `${lane - 6}px`, height: `${base - lane + 6}px` }}
          />
          <span class="value" style={{ top: `${top + 8}px`, ...(!isCompact && beside) }}>
            {description}
          </span>
        </>
      )}
    </div>
  )
}
