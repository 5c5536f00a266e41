import { worldNow } from '../data/state.ts'
import type { Window } from '../data/types.ts'
import { amount, leftAt, UNLIMITED } from '../text/text.ts'

/** `48 / 60`. */
export const Remaining = ({ window }: { window: Window }) => (
  <span>
    {amount(leftAt(window, worldNow.value))}
    {window.limit !== UNLIMITED && <span class="quiet"> / {amount(window.limit)}</span>}
  </span>
)

/** The remaining quota as a bar. */
export function Level({ window, class: classes = '' }: { window: Window; class?: string }) {
  const { limit } = window
  const share = limit === 0 ? 0 : limit === UNLIMITED ? 1 : leftAt(window, worldNow.value) / limit
  const style = { '--share': `${100 * share}%` }
  return <span class={`level ${share <= 0.1 ? 'low' : ''} ${classes}`} style={style} aria-hidden="true" />
}
