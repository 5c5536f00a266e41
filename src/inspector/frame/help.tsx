import { FIELD_NAMES } from '../data/filter.ts'
import { Press } from '../parts/act.tsx'
import { SHORTCUTS, toggleHelp } from './keyboard.ts'

/** The keyboard shortcuts and the syntax of the filter. */
export const Help = () => (
  <dialog id="help" class="helping" popover="auto" aria-label="Keys">
    <h2>Keys</h2>
    <dl>
      {SHORTCUTS.map(({ keys, does }) => (
        <div key={does}>
          <dt class="acts">
            {keys.split(/ +/).map((each) => (
              <kbd key={each}>{each}</kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
    <h2>Filter</h2>
    <p class="hint">
      Words are looked for in paths, headers and bodies. <code>status:4xx</code> <code>key:psk_free</code>{' '}
      <code>finding:early-retry</code> <code>test:"adds a pet"</code>; fields are {FIELD_NAMES.join(', ')}.
      Values of one field are alternatives; a minus in front excludes.
    </p>
    <Press run={toggleHelp}>Close</Press>
  </dialog>
)
