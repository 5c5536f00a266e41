import { standing } from '../data/api.ts'
import { go, hrefOf, namespace } from '../data/location.ts'
import { helpOpen, instrumentsOpen } from '../data/panels.ts'
import { ALL } from '../data/route.ts'
import { namespaces } from '../data/world-state.ts'
import { count } from '../text/text.ts'
import { timeOfDay } from '../text/time.ts'
import { shownView, VIEWS } from '../views/views.ts'
import { Drop } from './drop.tsx'

/** The views, the worlds, and whether the sandbox answers. */
export const Head = () => (
  <header class="head">
    <h1>
      <a href={hrefOf({ view: 'requests', filter: '' })}>petstore-sandbox</a>
    </h1>
    <nav aria-label="Views">
      {VIEWS.map(({ name, title }) => (
        <a
          key={name}
          href={hrefOf({ view: name })}
          aria-current={name === shownView.value.name ? 'page' : undefined}
        >
          {title}
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
