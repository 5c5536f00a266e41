import { effect } from '@preact/signals'
import { ALL } from '../data/address.ts'
import { ROOT, standing } from '../data/api.ts'
import { selected } from '../data/listed.ts'
import { namespace, point } from '../data/location.ts'
import { isMissing } from '../data/state.ts'
import { brief } from '../text/text.ts'
import { timeOfDay } from '../text/time.ts'
import { Instruments } from '../views/instruments/instruments.tsx'
import { shownView } from '../views/views.ts'
import { Access } from './access.tsx'
import { Footer } from './footer.tsx'
import { Head } from './head.tsx'
import { Help } from './help.tsx'
import { MissingNamespace, Notice } from './notice.tsx'
import './frame.css'

/** The layout of the page: instruments on the left, the view beside them, the command line at the bottom. */
export function Shell() {
  const now = standing.value
  if (now.state === 'token' || now.state === 'refused') return <Access />
  const { title, Body } = shownView.value
  const isAll = namespace.value === ALL
  return (
    <div class={`shell${point.value === undefined ? '' : ' past'}${isAll ? ' all' : ''}`}>
      <Head />
      {!isAll && <Instruments />}
      <main class="main column" id="main" tabIndex={-1} aria-label={title}>
        {now.state === 'away' && (
          <p class="notice bad" role="status">
            {now.message ?? 'The sandbox is away.'} Away since {timeOfDay(now.since, 0)} UTC, trying again.
          </p>
        )}
        {isMissing.value ? (
          <MissingNamespace />
        ) : (
          <>
            <Notice />
            <Body />
          </>
        )}
      </main>
      <Footer />
      <Help />
    </div>
  )
}

/** `429 GET /v1/pets · worker-1 · :4010` */
export function startTitle(): void {
  const { host, port } = new URL(ROOT)
  effect(() => {
    const event = selected.value
    const what =
      event?.kind === 'request'
        ? `${event.entry.status || 'none'} ${event.entry.method} ${brief(event.entry.path, 60)}`
        : shownView.value.title
    document.title = `${what} · ${namespace.value} · ${port ? `:${port}` : host}`
  })
}
