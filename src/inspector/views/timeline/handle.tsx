import { standsAt, stops, travelNear, travelTo } from '../../data/history.ts'
import { point } from '../../data/point.ts'
import { timeOfDay } from '../../text/time.ts'
import { scale, share } from './scale.ts'

/** Stands before a request, or at the end, which is now. */
export function Handle() {
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
