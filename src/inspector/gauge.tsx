import { distance } from './time.ts'

const UNLIMITED = 2_147_483_647

interface Window {
  readonly limit: number
  readonly remaining: number
  readonly resetsAt: string
}

/** What is left of a window, as a bar with its numbers. */
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
      <meter
        aria-label={`${label}: requests left`}
        min={0}
        max={limit}
        value={shown}
        class={isOver || share > 0.25 ? '' : share > 0 ? 'warn' : 'bad'}
      />
      {shown < limit && <span class="hint">resets {distance(Date.parse(resetsAt), now)}</span>}
    </div>
  )
}
