import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { chosenKey } from '../../data/chosen-key.ts'
import { counted, kept, span } from '../../data/journal.ts'
import { liveNow } from '../../data/world-state.ts'
import { isMasked } from '../../text/keys.ts'
import { timeOfDay } from '../../text/time.ts'
import { remainingOf } from '../requests/why.ts'
import { type Buckets, buckets, type DrawnRequest } from './buckets.ts'
import { scale } from './scale.ts'

const HEIGHT = 78

/** The bars and the line, drawn into `host`. */
export function draw(host: HTMLElement): uPlot {
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
          values: (plot, splits) =>
            splits.map((seconds) => (fits(plot, seconds) ? timeOfDay(seconds * 1000, 0) : '')),
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

/** Draws what is there now. */
export function show(plot: uPlot | undefined): void {
  const data = dataOf()
  plot?.setData(data)
  const [first = 0, second = 1] = data[0]
  scale.value = { from: first * 1000, to: (data[0].at(-1) ?? second) * 1000, step: (second - first) * 1000 }
}

function pointsNow(): DrawnRequest[] {
  const key = chosenKey()
  const more = counted.newest(counted.length).flatMap(({ at, statuses }) =>
    Object.entries(statuses).map(([status, amount]) => ({
      at,
      status: Number(status),
      left: undefined,
      amount,
    })),
  )
  const single = kept.peek().map(({ entry, at }) => ({
    at,
    status: entry.status,
    left:
      entry.key === key || (isMasked(entry.key ?? '') && key === `psk_${entry.plan}`)
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

/** Whether a label has room between the edges. */
function fits(plot: uPlot, seconds: number): boolean {
  const left = plot.valToPos(seconds, 'x')
  return left > 28 && left < plot.width - 28
}

/** A canvas does not resolve light-dark(), so the color that applies is looked up. */
function colourOf(host: HTMLElement, name: string): string {
  const probe = document.createElement('i')
  probe.style.color = `var(${name})`
  host.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
