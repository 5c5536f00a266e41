import { FIELD_NAMES } from '../data/filter.ts'
import { Button } from '../parts/buttons.tsx'
import { styled, Table } from '../parts/table.tsx'
import { SHORTCUTS, toggleHelp } from './keyboard.ts'

/** The keyboard shortcuts and the syntax of the filter. */
export const Help = () => (
  <dialog id="help" class="helping" popover="auto" aria-label="Keys">
    <h2>Keys</h2>
    <Table
      headless
      columns={['Keys', styled('wraps', 'What they do')]}
      rows={SHORTCUTS}
      of={({ does }) => does}
      cells={({ keys, does }) => [keys.split(/ +/).map((each) => [<kbd key={each}>{each}</kbd>, ' ']), does]}
    />
    <h2>Filter</h2>
    <p class="quiet small">
      Words are looked for in paths, headers and bodies. <code>status:4xx</code> <code>key:psk_free</code>{' '}
      <code>finding:early-retry</code> <code>test:"adds a pet"</code>; fields are {FIELD_NAMES.join(', ')}.
      Values of one field are alternatives; a minus in front excludes.
    </p>
    <Button run={toggleHelp}>Close</Button>
  </dialog>
)
