import { lineAbout } from '../../../control/call-words.ts'
import { plural } from '../../../text/plural.ts'
import { shellWord } from '../../../text/shell.ts'
import { type Action, andThen, call } from '../../data/actions.ts'
import { NAME } from '../../data/address.ts'
import { save } from '../../data/api.ts'
import { controlInputs, newPetFields } from '../../data/document.ts'
import { command, point, shownFlags, shownState, world } from '../../data/location.ts'
import { fixtures, ownNamespace, snapshots, UNREAD } from '../../data/state.ts'
import { jsonOf } from '../../data/typed.ts'
import { ActionButton, ConfirmButton, Place } from '../../parts/buttons.tsx'
import { CallForm, Form } from '../../parts/form.tsx'
import { brief, dateAndTime } from '../../text/text.ts'

/** A form with the fields of a new pet in the effective document. */
const AddPet = () => (
  <Form
    fields={newPetFields.value}
    first={{ categoryId: '1' }}
    class="form two"
    submit="Add"
    act={(typed) => {
      const pets = `{"pets":[${jsonOf(newPetFields.value, typed)}]`
      return {
        ...call('seed', { body: { pets: [] } }, `${pets},"mode":"append"}`),
        command: `printf %s ${shellWord(`${pets}}`)} | ${command('seed', '-', '--add')}`,
      }
    }}
  />
)

/** Replaces or adds pets: generated ones, or those of a fixture. */
const Seed = () => (
  <>
    <CallForm
      id="seed"
      only={['count', 'seed', 'status', 'mode']}
      first={{ count: '500', seed: '1', mode: 'replace' }}
      class="form two"
      submit="Generate"
    />
    <CallForm
      id="seed"
      only={['fixture', 'mode']}
      first={{ fixture: fixtures.value[0] ?? '', mode: 'replace' }}
      choices={{ fixture: fixtures.value }}
      class="form two"
      submit="Seed"
    />
  </>
)

const thenRead = (action: Action): Action => andThen(action, () => snapshots.refresh())

const TAKEN = 'There is a snapshot of this name already. Overwrite it in the list, or take another name.'
const UNNAMED = 'The name of a snapshot must be 1 to 64 of A-Z a-z 0-9 _ -.'

/** The snapshots of the namespace: restore, delete, save, compare. */
const Snapshots = () => (
  <Place name="snapshots">
    <ul class="rules">
      {snapshots.value.map(({ name, pets, at }) => (
        <li key={name}>
          <span>{`${name}, ${plural(pets, 'pet')}, ${dateAndTime(at)}`}</span>
          <span class="actions">
            <ActionButton
              class="small"
              text="Restore"
              aria-label={`Restore ${name}`}
              {...call('restoreSnapshot', { params: { name } })}
            />
            {(['Delete', 'Overwrite'] as const).map((text) => (
              <ConfirmButton
                key={text}
                text={text}
                subject={name}
                change={thenRead(
                  call(`${text === 'Delete' ? 'delete' : 'save'}Snapshot`, { params: { name } }),
                )}
              />
            ))}
          </span>
        </li>
      ))}
    </ul>
    <Form
      fields={controlInputs('saveSnapshot')}
      first={{ name: 'before' }}
      submit="Save"
      act={({ name = '' }) => ({
        command: command(...lineAbout('snapshot save', name)),
        async run() {
          if (!NAME.test(name)) throw new Error(UNNAMED)
          if (snapshots.value.some((each) => each.name === name)) throw new Error(TAKEN)
          await thenRead(call('saveSnapshot', { params: { name } })).run()
        },
      })}
    />
  </Place>
)

const Reset = () => <CallForm id="reset" first={{ only: '["pets"]' }} submit="Reset" />

/** The forms that change the pets. */
export function PetForms() {
  const saved = snapshots.value.map(({ name }) => name)
  const total = point.value === undefined ? ownNamespace.value?.pets : undefined
  const replaced = total === undefined ? 'all pets' : `the ${plural(total, 'pet')}`
  const noSnapshot = snapshots.value === UNREAD ? 'named states' : 'named states, none saved'
  const forms = {
    'Add a pet': { note: 'one pet, by its fields', Body: AddPet },
    Seed: { note: `replaces ${replaced}, or adds to them`, Body: Seed },
    Snapshots: {
      note: saved.length === 0 ? noSnapshot : `${saved.length} saved: ${brief(saved.join(', '), 80)}`,
      Body: Snapshots,
    },
    Reset: {
      note: 'the chosen parts, to the start fixture; without a choice, all but the keys',
      Body: Reset,
    },
  }
  return (
    <div class="forms">
      {Object.entries(forms).map(([title, { note, Body }]) => (
        <details key={title} name="pets" class="fold">
          <summary>
            {title} <span class="quiet small">{note}</span>
          </summary>
          <div class="inside">
            <Body />
          </div>
        </details>
      ))}
      <p class="export actions">
        <span>Export</span>
        <Place name="export">
          <ActionButton
            class="small"
            text="JSON"
            always
            command={`${command('export', ...shownFlags())} > ${world.value}.json`}
            run={() => save(`/export?${new URLSearchParams(shownState())}`, `${world.value}.json`)}
          />
          <span class="quiet small">YAML and CSV on the command line: export --format</span>
        </Place>
      </p>
    </div>
  )
}
