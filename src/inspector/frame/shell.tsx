import { Connect } from '../connect/connect.tsx'
import { Instruments } from '../instruments/instruments.tsx'
import { Limits } from '../limits/limits.tsx'
import { Pets } from '../pets/pets.tsx'
import { ReportView } from '../report/report.tsx'
import { Requests } from '../requests/requests.tsx'
import { standing } from '../sandbox/api.ts'
import { route } from '../sandbox/location.ts'
import { point } from '../timeline/point.ts'
import { Then } from '../timeline/then.tsx'
import { Door } from './door.tsx'
import { Foot } from './foot.tsx'
import { Head, TITLES } from './head.tsx'
import { Help } from './help.tsx'
import { helpOpen } from './ui.ts'

const BODIES = { requests: Requests, pets: Pets, limits: Limits, report: ReportView, connect: Connect }

/** The frame of the page: what can be turned on the left, what is looked at beside it, the command at the foot. */
export function Shell() {
  const { state } = standing.value
  if (state === 'token' || state === 'refused') return <Door />
  const Body = BODIES[route.value.view]
  return (
    <div class={`shell${point.value ? ' past' : ''}`}>
      <Head />
      <Instruments />
      <main class="main" id="main" tabIndex={-1} aria-label={TITLES[route.value.view]}>
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
