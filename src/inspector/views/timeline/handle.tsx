import { rewind } from '../../data/acts.ts'
import { pointEvent, stops } from '../../data/listed.ts'
import { command, point } from '../../data/location.ts'
import { isAtStop, standsAt, travelNear, travelTo } from '../../data/travel.ts'
import { attempt } from '../../parts/act.tsx'
import { dateOf, timeOfDay } from '../../text/time.ts'
import type { Scale } from './scale.ts'

interface HandleProps {
  readonly scale: Scale
  readonly isCompact: boolean
  readonly top: number
  readonly base: number
}

/** The handle that selects a point: before an event, or at the end, which means now. */
export function Handle({ scale, isCompact, top, base }: HandleProps) {
  const all = stops.value
  const then = pointEvent.value
  if (all.length === 0) return null
  const drag = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement
    if (!handle.hasPointerCapture(event.pointerId)) return
    const { left } = (handle.parentElement as HTMLElement).getBoundingClientRect()
    travelNear(scale.instant(event.clientX - left))
  }
  const onKey = (event: KeyboardEvent) => {
    const at = standsAt.value
    const to = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      PageUp: at - 10,
      PageDown: at + 10,
      Home: 0,
      End: all.length,
    }[event.key]
    if (event.key === 'Enter' && isAtStop()) void attempt('notice', rewind(point.value as string).run)
    else if (to !== undefined) travelTo(to)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const x = then ? scale.x(then.real) : scale.right
  return (
    <div
      class="handle"
      role="slider"
      tabIndex={0}
      aria-label="Point in time"
      aria-valuemin={0}
      aria-valuemax={all.length}
      aria-valuenow={standsAt.value}
      aria-valuetext={then ? `before ${then.id}, ${dateOf(then.at)} ${timeOfDay(then.at, 0)}` : 'now'}
      data-command={then ? command('rewind', then.id) : command('history')}
      style={{ left: `${x}px`, top: `${top - 14}px`, height: `${base - top + 14}px` }}
      onPointerDown={(event) => {
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        event.currentTarget.focus()
      }}
      onPointerMove={drag}
      onKeyDown={onKey}
    >
      {!isCompact && (
        <span class={x > scale.right - 120 && then ? 'name before' : 'name'}>
          {then ? `before ${then.id}` : 'now'}
        </span>
      )}
    </div>
  )
}
