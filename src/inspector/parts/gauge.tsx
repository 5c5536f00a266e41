import { UNLIMITED } from '../data/unlimited.ts'
import { distance } from '../text/time.ts'

interface Window {
  readonly limit: number
  readonly remaining: number
  readonly resetsAt: string
}

/** The rest of a window, as a bar with its numbers. */
export function Gauge({ label, window, now }: { label: string; window: Window; now: number }) {
  const { limit, remaining, resetsAt } = window
  if (limit === UNLIMITED) {
    return (
      <p class="gauge">
        <span>{label}</span>
        <span>unlimited</span>
      </p>
    )
  }
  const share = limit === 0 ? 0 : remaining / limit
  const isOver = Date.parse(resetsAt) <= now
  const shown = isOver ? limit : remaining
  return (
    <div class="gauge">
      <span>{label}</span>
      <span>
        {shown.toLocaleString('en')} / {limit.toLocaleString('en')}
      </span>
      <Level value={shown} max={limit} tone={isOver || share > 0.25 ? 'good' : share > 0 ? 'warn' : 'bad'} />
      {shown < limit && <span class="hint">resets {distance(Date.parse(resetsAt), now)}</span>}
    </div>
  )
}

interface LevelProps {
  readonly value: number
  readonly max: number
  readonly tone: 'good' | 'warn' | 'bad'
}

/** A share of something as a bar, beside its numbers; an empty one is drawn whole, in the colour of its tone. */
export const Level = ({ value, max, tone }: LevelProps) => (
  <div class={`level ${tone}`} aria-hidden="true">
    <div style={{ width: `${tone === 'bad' || max === 0 ? 100 : (100 * value) / max}%` }} />
  </div>
)
