import { amount, restOf, UNLIMITED, type Window } from '../text/quota.ts'

/** `48 / 60`. */
export const Rest = ({ window, now }: { window: Window; now: number }) => (
  <span>
    {amount(restOf(window, now))}
    {window.limit !== UNLIMITED && <span class="quiet"> / {amount(window.limit)}</span>}
  </span>
)

/** The remaining quota as a bar with numbers. */
export function Level({ window, now }: { window: Window; now: number }) {
  const { limit } = window
  const share = limit === 0 ? 0 : limit === UNLIMITED ? 1 : restOf(window, now) / limit
  return (
    <span class={`level${share <= 0.1 ? ' low' : ''}`} aria-hidden="true">
      <span style={{ width: `${100 * share}%` }} />
    </span>
  )
}
