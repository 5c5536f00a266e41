import { effect, signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { type Buckets, buckets, type Point } from './buckets.ts'
import { canTravel, standsAt, stops, travelNear, travelTo } from './history.ts'
import { chosenKey } from './instruments.tsx'
import { point } from './point.ts'
import { counted, hiddenBefore, liveNow, paused, REMEMBERED, rows, span, tick, version } from './state.ts'
import { timeOfDay } from './time.ts'
import { remainingOf } from './why.ts'

const HEIGHT = 78
const resized = signal(0)
addEventListener('resize', () => {
  resized.value++
})
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  resized.value++
})

/** Requests over time by the class of their status, and what the chosen key has left. Choosing a span filters. */
export function Timeline() {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let plot: uPlot | undefined
    const stop = effect(() => {
      resized.value
      plot?.destroy()
      plot = host.current ? draw(host.current) : undefined
      show(plot)
    })
    let isDue = false
    const follow = effect(() => {
      version.value
      tick.value
      resized.value
      chosenKey()
      if (isDue) return
      isDue = true
      // Four times a second is enough for the eye.
      setTimeout(() => {
        isDue = false
        if (!paused.peek()) show(plot)
      }, 250)
    })
    return () => {
      follow()
      stop()
      plot?.destroy()
    }
  }, [])
  const chosen = span.value
  return (
    <section class="timeline" aria-label="Timeline">
      <p class="hint">
        requests over time, and what {chosenKey()} has left
        {chosen && (
          <>
            {' '}
            · {timeOfDay(chosen.from, 0)} to {timeOfDay(chosen.to, 0)}{' '}
            <button
              type="button"
              class="link"
              onClick={() => {
                span.value = undefined
              }}
            >
              show all
            </button>
          </>
        )}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a span is chosen here by the keyboard, too */}
      <section class="frame" tabIndex={0} aria-label={SPAN_LABEL} onKeyDown={onKey}>
        <div ref={host} class="plot" aria-hidden="true" />
        {chosen && <div class="span" style={placeOf(chosen.from, chosen.to)} />}
        {canTravel.value && stops.value.length > 0 && <Handle />}
      </section>
    </section>
  )
}

const SPAN_LABEL =
  'Span of time: left and right move it, with Shift they make it longer and shorter, Esc ends it'

/** What the plot shows, in milliseconds. */
const scale = signal({ from: 0, to: 1, step: 1000 })

function show(plot: uPlot | undefined): void {
  const data = dataOf()
  plot?.setData(data)
  const [first = 0, second = 1] = data[0]
  scale.value = { from: first * 1000, to: (data[0].at(-1) ?? second) * 1000, step: (second - first) * 1000 }
}

const share = (instant: number): number => {
  const { from, to } = scale.value
  return Math.min(1, Math.max(0, (instant - from) / (to - from || 1)))
}

const placeOf = (from: number, to: number) => ({
  left: `${100 * share(from)}%`,
  width: `${100 * (share(to) - share(from))}%`,
})

function onKey(event: KeyboardEvent): void {
  if (event.target !== event.currentTarget) return
  const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
  if (event.key === 'Escape' && span.value) {
    event.stopPropagation()
    span.value = undefined
  }
  if (by === 0) return
  event.preventDefault()
  const { to: end, step } = scale.value
  const { from, to } = span.value ?? { from: end - step, to: end }
  span.value = { from: from + by * step, to: event.shiftKey ? to : to + by * step }
}

/** Stands before a request, or at the end, which is now. */
function Handle() {
  const all = stops.value
  const then = point.value
  const drag = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement
    if (!handle.hasPointerCapture(event.pointerId)) return
    const { left, width } = (handle.parentElement as HTMLElement).getBoundingClientRect()
    const { from, to } = scale.peek()
    travelNear(from + ((event.clientX - left) / width) * (to - from))
  }
  const onArrow = (event: KeyboardEvent) => {
    const to = {
      ArrowLeft: standsAt.value - 1,
      ArrowRight: standsAt.value + 1,
      Home: 0,
      End: all.length,
    }[event.key]
    if (to === undefined) return
    event.preventDefault()
    travelTo(to)
  }
  return (
    <div
      class="handle"
      role="slider"
      tabIndex={0}
      aria-label="Point in time"
      aria-valuemin={0}
      aria-valuemax={all.length}
      aria-valuenow={standsAt.value}
      aria-valuetext={then ? `before ${then.id}, ${timeOfDay(then.at)}` : 'now'}
      title="Drag it back in time"
      style={{ left: then ? `${100 * share(then.at)}%` : '100%' }}
      onPointerDown={(event) => {
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        event.currentTarget.focus()
      }}
      onPointerMove={drag}
      onKeyDown={onArrow}
    />
  )
}

function pointsNow(): Point[] {
  const key = chosenKey()
  const hidden = rows.length - (rows.total - hiddenBefore.peek())
  const shown = rows.newest(hidden > 0 ? rows.length - hidden : rows.length)
  const more = counted.newest(REMEMBERED).flatMap(({ at, statuses }) =>
    Object.entries(statuses).map(([status, amount]) => ({
      at: Date.parse(at),
      status: Number(status),
      left: undefined,
      amount,
    })),
  )
  const single = shown.map(({ entry, at }) => ({
    at,
    status: entry.status,
    left:
      entry.key === key || (entry.key?.includes('…') && key === `psk_${entry.plan}`)
        ? remainingOf(entry)
        : undefined,
  }))
  return [...more, ...single]
}

/** Stacked: uPlot draws the bars one over the other, the tallest first. */
function dataOf(): uPlot.AlignedData {
  const { at, good, warn, bad, left }: Buckets = buckets(pointsNow(), liveNow.peek())
  const place = (index: number) => [good[index] ?? 0, warn[index] ?? 0, bad[index] ?? 0] as const
  return [
    at.map((instant) => instant / 1000),
    at.map((_, index) => place(index).reduce((sum, amount) => sum + amount)),
    at.map((_, index) => place(index)[1] + place(index)[2]),
    at.map((_, index) => place(index)[2]),
    [...left],
  ]
}

function draw(host: HTMLElement): uPlot {
  const colour = (name: string) => colourOf(host, name)
  const bars = uPlot.paths.bars?.({ size: [0.8, 14], align: 1 })
  const bar = (label: string, fill: string): uPlot.Series => ({
    label,
    fill,
    width: 0,
    points: { show: false },
    ...(bars && { paths: bars }),
  })
  return new uPlot(
    {
      width: Math.max(100, host.clientWidth),
      height: HEIGHT,
      padding: [4, 0, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
      select: { show: true, left: 0, top: 0, width: 0, height: 0 },
      scales: {
        x: { time: true },
        y: { range: (_, __, max) => [0, Math.max(1, max)] },
        left: { range: (_, __, max) => [0, Math.max(1, max) * 1.05] },
      },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
      axes: [
        {
          stroke: colour('--quiet'),
          grid: { show: false },
          ticks: { show: false },
          size: 18,
          gap: 2,
          font: '11px system-ui, sans-serif',
          values: (_, splits) => splits.map((seconds) => timeOfDay(seconds * 1000, 0)),
          space: 90,
        },
        { show: false },
      ],
      series: [
        {},
        bar('2xx, 3xx', colour('--bar')),
        bar('4xx', colour('--warn')),
        bar('5xx and none', colour('--bad')),
        {
          label: 'left',
          scale: 'left',
          stroke: colour('--accent'),
          width: 1.5,
          spanGaps: true,
          points: { show: false },
        },
      ],
      hooks: {
        setSelect: [
          (plot) => {
            const { left, width } = plot.select
            if (width < 3) return
            const [from, to] = [plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x')]
            span.value = { from: from * 1000, to: to * 1000 }
            plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          },
        ],
      },
    },
    dataOf(),
    host,
  )
}

/** Of light-dark() a canvas is told the one that applies. */
function colourOf(host: HTMLElement, name: string): string {
  const probe = document.createElement('i')
  probe.style.color = `var(${name})`
  host.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
