import { effect, signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type uPlot from 'uplot'
import { chosenKey } from '../../data/chosen-key.ts'
import { stops } from '../../data/history.ts'
import { paused, span, version } from '../../data/journal.ts'
import { paced } from '../../data/paced.ts'
import { tick } from '../../data/world-state.ts'
import { timeOfDay } from '../../text/time.ts'
import { Handle } from './handle.tsx'
import { draw, show } from './plot.ts'
import { placeOf, scale } from './scale.ts'

const resized = signal(0)
addEventListener('resize', () => {
  resized.value++
})
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  resized.value++
})

/** Requests over time by the class of their status, and what the chosen key has left. Choosing a span filters. */
export function Timeline() {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let plot: uPlot | undefined
    const stop = effect(() => {
      resized.value
      plot?.destroy()
      plot = host.current ? draw(host.current) : undefined
      show(plot)
    })
    // Twice a second is enough for the eye.
    const showSoon = paced(500, async () => {
      if (!paused.peek()) show(plot)
    })
    const follow = effect(() => {
      version.value
      tick.value
      resized.value
      chosenKey()
      showSoon()
    })
    return () => {
      follow()
      stop()
      plot?.destroy()
    }
  }, [])
  const chosen = span.value
  return (
    <section class="timeline" aria-label="Timeline">
      <p class="hint">
        requests over time, and what {chosenKey()} has left
        {chosen && (
          <>
            {' '}
            · {timeOfDay(chosen.from, 0)} to {timeOfDay(chosen.to, 0)}{' '}
            <button
              type="button"
              class="link"
              onClick={() => {
                span.value = undefined
              }}
            >
              show all
            </button>
          </>
        )}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a span is chosen here by the keyboard, too */}
      <section class="frame" tabIndex={0} aria-label={SPAN_LABEL} onKeyDown={onKey}>
        <div ref={host} class="plot" aria-hidden="true" />
        {chosen && <div class="span" style={placeOf(chosen.from, chosen.to)} />}
        {stops.value.length > 0 && <Handle />}
      </section>
    </section>
  )
}

const SPAN_LABEL =
  'Span of time: left and right move it, with Shift they make it longer and shorter, Esc ends it'

function onKey(event: KeyboardEvent): void {
  if (event.target !== event.currentTarget) return
  const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
  if (event.key === 'Escape' && span.value) {
    event.stopPropagation()
    span.value = undefined
  }
  if (by === 0) return
  event.preventDefault()
  const { to: end, step } = scale.value
  const { from, to } = span.value ?? { from: end - step, to: end }
  span.value = { from: from + by * step, to: event.shiftKey ? to : to + by * step }
}
