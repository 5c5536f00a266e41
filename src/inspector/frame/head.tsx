import { standing } from '../sandbox/api.ts'
import { go, hrefOf, namespace, route } from '../sandbox/location.ts'
import { ALL, VIEWS, type View } from '../sandbox/route.ts'
import { namespaces } from '../sandbox/world-state.ts'
import { count } from '../text/text.ts'
import { timeOfDay } from '../text/time.ts'
import { Drop } from './drop.tsx'
import { helpOpen, instrumentsOpen } from './ui.ts'

export const TITLES: Readonly<Record<View, string>> = {
  requests: 'Requests',
  pets: 'Pets',
  limits: 'Limits',
  report: 'Report',
  connect: 'Connect',
}

/** The views, the worlds, and whether the sandbox answers. */
export const Head = () => (
  <header class="head">
    <h1>
      <a href={hrefOf({ view: 'requests', filter: '' })}>petstore-sandbox</a>
    </h1>
    <nav aria-label="Views">
      {VIEWS.map((view) => (
        <a key={view} href={hrefOf({ view })} aria-current={view === route.value.view ? 'page' : undefined}>
          {TITLES[view]}
        </a>
      ))}
    </nav>
    <span class="push" />
    <button
      type="button"
      class="act only-narrow"
      aria-expanded={instrumentsOpen.value}
      onClick={() => {
        instrumentsOpen.value = !instrumentsOpen.value
      }}
    >
      Instruments
    </button>
    <label class="world">
      <span aria-hidden="true">namespace</span>
      <select
        aria-label="namespace"
        value={namespace.value}
        onChange={({ currentTarget }) => go({ namespace: currentTarget.value, id: undefined })}
      >
        {names().map(({ name, text }) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
    <Drop />
    <span class={`standing ${standing.value.state}`} role="status">
      {standing.value.state === 'live' ? 'live' : standing.value.state}
    </span>
    <button
      type="button"
      class="key"
      aria-label="Keyboard shortcuts"
      onClick={() => {
        helpOpen.value = true
      }}
    >
      ?
    </button>
  </header>
)

function names(): { name: string; text: string }[] {
  const known = namespaces.value.map(({ name, pets, requests, clock }) => ({
    name,
    text: `${name}: ${count(requests, 'request')}, ${count(pets, 'pet')}, ${timeOfDay(clock.now, 0)}`,
  }))
  const current = namespace.value
  if (known.length > 1 || current === ALL) known.push({ name: ALL, text: 'all, in one list' })
  if (!known.some(({ name }) => name === current)) known.push({ name: current, text: current })
  return known
}
