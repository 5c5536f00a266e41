import { standing } from '../data/api.ts'
import { helpOpen } from '../data/panels.ts'
import { point } from '../data/point.ts'
import { Instruments } from '../views/instruments/instruments.tsx'
import { Then } from '../views/timeline/then.tsx'
import { shownView } from '../views/views.ts'
import { Door } from './door.tsx'
import { Foot } from './foot.tsx'
import { Head } from './head.tsx'
import { Help } from './help.tsx'

/** The frame of the page: what can be turned on the left, what is looked at beside it, the command at the foot. */
export function Shell() {
  const { state } = standing.value
  if (state === 'token' || state === 'refused') return <Door />
  const { title, Body } = shownView.value
  return (
    <div class={`shell${point.value ? ' past' : ''}`}>
      <Head />
      <Instruments />
      <main class="main" id="main" tabIndex={-1} aria-label={title}>
        {state === 'away' && (
          <p class="away" role="status">
            The sandbox is away. This page comes back by itself as soon as it answers again.
          </p>
        )}
        <Then />
        <Body />
      </main>
      <Foot />
      {helpOpen.value && <Help />}
    </div>
  )
}
