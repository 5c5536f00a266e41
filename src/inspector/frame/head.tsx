import { saveRecording } from '../data/actions.ts'
import { hasState, service, standing } from '../data/api.ts'
import { paused } from '../data/events.ts'
import { missed } from '../data/listed.ts'
import { command, EVERYTHING, hrefOf, isAll, shownWords } from '../data/location.ts'
import { ActionButton, Button, Place } from '../parts/buttons.tsx'
import { visible } from '../text/text.ts'
import { shownView, views } from '../views/views.ts'
import { Chooser } from './chooser.tsx'
import { toggleHelp } from './keyboard.tsx'

/** The views, the namespace, and the state of the connection. */
export const Head = () => (
  <header class="head line">
    <h1>
      <a href={hrefOf({ view: 'requests', id: undefined, ...EVERYTHING })}>petstore-sandbox</a>
    </h1>
    <nav aria-label="Views">
      {views.value.map(({ name, title, line, at }) => (
        <a
          key={name}
          href={hrefOf({ view: name })}
          data-command={command(line, ...(at ? shownWords() : []))}
          aria-current={name === shownView.value.name ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
    <span class="push" />
    {service.value && <span class="quiet small cut">proxy of {visible(service.value)}</span>}
    <Chooser />
    {!isAll.value && hasState.value && (
      <ActionButton class="text record" text="Save recording" always {...saveRecording()} />
    )}
    <Place name="page" />
    <span class={`standing quiet ${standing.value.state}`} role="status">
      {standing.value.state === 'live' && paused.value
        ? `paused, ${missed.value} since`
        : standing.value.state}
    </span>
    <Button class="text help" text="?" aria-label="Keys of this page" run={toggleHelp} />
  </header>
)
