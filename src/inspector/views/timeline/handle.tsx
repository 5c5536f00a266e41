import { rewind, trackAction } from '../../data/actions.ts'
import { handleIndex, pointReal, stops, travelNear, travelTo } from '../../data/listed.ts'
import { command, point } from '../../data/location.ts'
import { isTimeKnown, worldNow } from '../../data/state.ts'
import { attempt } from '../../parts/buttons.tsx'
import { stepOf, xIn } from '../../parts/window.ts'
import { spokenTime } from '../../text/text.ts'
import type { Drawing } from './plot.ts'

/** The handle that selects a point: before an event, or at the end, which means now. */
export function Handle({ scale, handle, room: { lane, base, isCompact } }: Drawing) {
  const all = stops.value
  const isNow = pointReal.value === undefined
  const name = isNow ? 'now' : `before ${point.value}`
  if (all.length === 0) return null
  const drag = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement
    if (handle.hasPointerCapture(event.pointerId)) travelNear(scale.instant(xIn(handle.parentElement, event)))
  }
  const onKey = (event: KeyboardEvent) => {
    const by = stepOf(event.key, 'ArrowLeft', 'ArrowRight')
    if (event.key === 'Enter' && handleIndex.value < all.length)
      void attempt('notice', () => trackAction(rewind(point.value as string).run))
    else if (by !== undefined) travelTo(handleIndex.value + by)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div
      class="handle"
      role="slider"
      tabIndex={0}
      aria-label="Point in time"
      aria-valuemin={0}
      aria-valuemax={all.length}
      aria-valuenow={handleIndex.value}
      aria-valuetext={isNow || !isTimeKnown.value ? name : `${name}, ${spokenTime(worldNow.value)}`}
      data-command={isNow ? undefined : command('rewind', point.value as string)}
      style={{ left: `${handle.at}px`, top: `${lane - 14}px`, height: `${base - lane + 14}px` }}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        event.currentTarget.focus()
      }}
      onPointerMove={drag}
      onKeyDown={onKey}
    >
      {!isCompact && <span class={handle.side < 0 ? 'name before' : 'name'}>{name}</span>}
    </div>
  )
}
