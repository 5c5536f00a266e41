/** Events further apart than this, in milliseconds, have a gap between them, which leaves a second at each side. */
const MIN_GAP = 30_000
const BESIDE = 1000
const GAP_WIDTH = 12
const SHORTEST = 10_000

/** Maps real time to positions, from left to right. */
export type Scale = ReturnType<typeof scaleOf>

/** `instants`: the events in real time, ascending. */
export function scaleOf(instants: readonly number[], now: number, left: number, right: number) {
  const first = instants[0] ?? now - 2 * SHORTEST
  const to = Math.max(now, instants.at(-1) ?? now)
  const from = Math.min(first, to - SHORTEST)
  /** Periods without events, drawn shorter than they were. `length`: the time between the events beside them. */
  const gaps = [...instants, to].flatMap((instant, index) => {
    const before = instants[index - 1] ?? from
    const length = instant - before
    return length > MIN_GAP ? [{ from: before + BESIDE, to: instant - BESIDE, length }] : []
  })
  const cut = gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0)
  const gapWidth = Math.min(GAP_WIDTH, (right - left) / 2 / Math.max(1, gaps.length))
  const perMs = (right - left - gapWidth * gaps.length) / (to - from - cut)
  /** The parts of the axis in order, each with its start in time and in pixels. */
  const parts = [{ real: from, x: left, perMs }]
  for (const gap of gaps) {
    const { real, x } = parts.at(-1) as (typeof parts)[0]
    const start = x + (gap.from - real) * perMs
    parts.push({ real: gap.from, x: start, perMs: gapWidth / (gap.to - gap.from) })
    parts.push({ real: gap.to, x: start + gapWidth, perMs })
  }
  const last = (name: 'real' | 'x', value: number) =>
    parts.findLast((part) => part[name] <= value) ?? (parts[0] as (typeof parts)[0])
  return {
    from,
    to,
    left,
    right,
    gaps,
    perMs,
    gapAt: (real: number) => gaps.find((gap) => real > gap.from && real < gap.to),
    x: (real: number) => {
      const part = last('real', real)
      return part.x + (Math.min(to, Math.max(from, real)) - part.real) * part.perMs
    },
    instant: (x: number) => {
      const part = last('x', x)
      return Math.min(to, Math.max(from, part.real + (x - part.x) / part.perMs))
    },
  }
}
