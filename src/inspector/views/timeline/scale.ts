import { signal } from '@preact/signals'

/** The span that the plot shows, in milliseconds. */
export const scale = signal({ from: 0, to: 1, step: 1000 })

export const share = (instant: number): number => {
  const { from, to } = scale.value
  return Math.min(1, Math.max(0, (instant - from) / (to - from || 1)))
}

export const placeOf = (from: number, to: number) => ({
  left: `${100 * share(from)}%`,
  width: `${100 * (share(to) - share(from))}%`,
})
