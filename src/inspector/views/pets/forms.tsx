import { effect, signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { answerOf, api, save } from '../../data/api.ts'
import { type Field, newPetFields } from '../../data/document.ts'
import { command, inWorld, route, world } from '../../data/location.ts'
import { fixtures, namespaces } from '../../data/state.ts'
import type { Snapshot } from '../../data/types.ts'
import { Act, Keep, Refused } from '../../parts/act.tsx'
import { quote } from '../../text/commands.ts'
import { brief, count, typedNumber } from '../../text/text.ts'
import { dateOf, timeOfDay } from '../../text/time.ts'
import { kindOf, petOf } from './new-pet.ts'
import { petTotal } from './pet-pages.ts'

export const snapshots = signal<readonly Snapshot[]>([])

async function readSnapshots(): Promise<void> {
  snapshots.value = await answerOf(api.GET('/snapshots', inWorld()))
}

/** Also every few seconds: no event tells of those that others save. */
export function startSnapshots(): void {
  effect(() => {
    world.value
    snapshots.value = []
  })
  effect(() => {
    world.value
    namespaces.value
    if (route.value.view === 'pets') readSnapshots().catch(() => {})
  })
}

const Fold = ({ title, note, children }: { title: string; note: string; children: ComponentChildren }) => (
  <details name="pets" class="fold">
    <summary>
      <span>{title}</span> <span class="quiet small">{note}</span>
    </summary>
    <div class="inside">{children}</div>
  </details>
)

/** What changes the pets. */
export function PetForms() {
  const saved = snapshots.value
  const total = petTotal.value ?? 0
  return (
    <div class="forms">
      <Fold title="Add a pet" note="one pet, by its fields">
        <AddPet />
      </Fold>
      <Fold title="Seed" note={`replaces the ${count(total, 'pet')}, or adds to them`}>
        <Seed />
      </Fold>
      <Fold
        title="Snapshots"
        note={
          saved.length === 0
            ? 'none saved'
            : `${saved.length} saved: ${brief(saved.map(({ name }) => name).join(', '), 80)}`
        }
      >
        <Snapshots />
      </Fold>
      <Fold title="Reset" note="pets, limits and others as at the start">
        <Reset />
      </Fold>
      <p class="export acts">
        <span>Export</span>
        <Act
          place="export"
          always
          class="small"
          command={`${command('export')} > ${world.value}.json`}
          run={() => save(`/export?namespace=${world.value}`, `${world.value}.json`)}
        >
          JSON
        </Act>
        <span class="quiet small">YAML and CSV on the command line: export --format</span>
        <Refused place="export" />
      </p>
    </div>
  )
}

/** A form with the fields that a new pet has in the effective document. */
function AddPet() {
  const typed = useSignal<Readonly<Record<string, string>>>({ categoryId: '1' })
  const pet = petOf(newPetFields.value, typed.value)
  return (
    <form class="form">
      {newPetFields.value.map((field) => (
        <Input
          key={field.name}
          field={field}
          value={typed.value[field.name] ?? ''}
          change={(value) => {
            typed.value = { ...typed.value, [field.name]: value }
          }}
        />
      ))}
      <Act
        type="submit"
        class="primary"
        place="add"
        command={`printf %s ${quote(`{"pets":[${pet}]}`)} | ${command('seed', '-', '--add')}`}
        run={() => {
          const body = `{"pets":[${pet}],"mode":"append"}`
          return answerOf(api.POST('/seed', { ...inWorld(), body: {} as never, bodySerializer: () => body }))
        }}
      >
        Add
      </Act>
      <Refused place="add" />
    </form>
  )
}

function Input({ field, value, change }: { field: Field; value: string; change: (value: string) => void }) {
  const { name, isRequired, description } = field
  const choices = field.type === 'boolean' ? [true, false] : field.enum
  const id = `new-${name}`
  return (
    <label for={id} title={description && brief(description)}>
      {brief(name, 60)}
      {choices ? (
        <select id={id} value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
          <option value="">{isRequired ? '' : 'none'}</option>
          {choices.map((choice) => (
            <option key={String(choice)}>{String(choice)}</option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          value={value}
          placeholder={isRequired ? kindOf(field) : `${kindOf(field)}, optional`}
          spellcheck={false}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    </label>
  )
}

/** `available=60,sold=40` as the command line takes it. */
const sharesOf = (text: string): object | undefined =>
  text.trim() === ''
    ? undefined
    : Object.fromEntries(
        text.split(',').map((part) => {
          const [name = '', value = ''] = part.split('=')
          return [name.trim(), typedNumber(value)]
        }),
      )

/** Other pets, or more: a fixture, or generated ones. */
function Seed() {
  const amount = useSignal('500')
  const shares = useSignal('')
  const isAdded = useSignal(false)
  const mode = isAdded.value ? 'append' : 'replace'
  const flags = isAdded.value ? ['--add'] : []
  const seed = (body: object) =>
    answerOf(api.POST('/seed', { ...inWorld(), body: { ...body, mode } as never }))
  const status = sharesOf(shares.value)
  return (
    <form class="form">
      <label class="check">
        <input
          type="checkbox"
          checked={isAdded.value}
          onChange={({ currentTarget }) => {
            isAdded.value = currentTarget.checked
          }}
        />{' '}
        add to the pets
      </label>
      <label>
        Generate so many
        <input
          inputMode="numeric"
          value={amount.value}
          onInput={({ currentTarget }) => {
            amount.value = currentTarget.value
          }}
        />
      </label>
      <label>
        Shares of each status
        <input
          placeholder="available=60,pending=30,sold=10"
          value={shares.value}
          onInput={({ currentTarget }) => {
            shares.value = currentTarget.value
          }}
        />
      </label>
      <Act
        type="submit"
        class="primary"
        place="seed"
        command={command(
          'seed',
          '--count',
          amount.value,
          ...(status ? ['--status', shares.value.trim()] : []),
          ...flags,
        )}
        run={() => seed({ count: typedNumber(amount.value), seed: 1, ...(status && { status }) })}
      >
        Generate
      </Act>
      <div class="acts">
        <span class="quiet small">or a fixture:</span>
        {fixtures.value.map((fixture) => (
          <Act
            key={fixture}
            class="small"
            place="seed"
            command={command('seed', fixture, ...flags)}
            run={() => seed({ fixture })}
          >
            {fixture}
          </Act>
        ))}
      </div>
      <Refused place="seed" />
    </form>
  )
}

/** What cannot be undone is asked once, in place. */
function Asked({
  text,
  label,
  command: line,
  run,
}: {
  text: string
  label: string
  command: string
  run: () => unknown
}) {
  const isAsked = useSignal(false)
  if (!isAsked.value)
    return (
      <button
        type="button"
        class="b text small"
        aria-label={`${text} ${label}`}
        data-command={line}
        onClick={() => {
          isAsked.value = true
        }}
      >
        {text}
      </button>
    )
  return (
    <span class="acts">
      <Act
        class="small primary"
        place="snapshots"
        command={line}
        run={run}
        label={`Yes, ${text.toLowerCase()} ${label}`}
      >
        {text}
      </Act>
      <Keep asked={isAsked} />
    </span>
  )
}

/** The snapshots of the world: restore, delete, save; what they differ in is beside it. */
function Snapshots() {
  const name = useSignal('before')
  const at = (name: string) => ({ params: { path: { name }, query: { namespace: world.value } } })
  const isTaken = snapshots.value.some((each) => each.name === name.value)
  const saveIt = async () => {
    await answerOf(api.PUT('/snapshots/{name}', at(name.value)))
    await readSnapshots()
  }
  const line = command('snapshot', 'save', name.value, ...(isTaken ? ['--force'] : []))
  return (
    <form class="form">
      <ul class="rules">
        {snapshots.value.map((each) => (
          <li key={each.name}>
            <span>
              {each.name}, {count(each.pets, 'pet')}, {dateOf(each.at)} {timeOfDay(each.at, 0)}
            </span>
            <span class="acts">
              <Act
                class="small"
                place="snapshots"
                label={`Restore ${each.name}`}
                command={command('snapshot', 'restore', each.name)}
                run={() => answerOf(api.POST('/snapshots/{name}/restore', at(each.name)))}
              >
                Restore
              </Act>
              <Asked
                text="Delete"
                label={each.name}
                command={command('snapshot', 'delete', each.name)}
                run={async () => {
                  await answerOf(api.DELETE('/snapshots/{name}', at(each.name)))
                  await readSnapshots()
                }}
              />
            </span>
          </li>
        ))}
      </ul>
      <label>
        Name of the snapshot
        <input
          value={name.value}
          spellcheck={false}
          onInput={({ currentTarget }) => {
            name.value = currentTarget.value
          }}
        />
      </label>
      {isTaken ? (
        <Asked key={name.value} text="Overwrite" label={name.value} command={line} run={saveIt} />
      ) : (
        <Act type="submit" class="primary" place="snapshots" command={line} run={saveIt}>
          Save
        </Act>
      )}
      <Refused place="snapshots" />
    </form>
  )
}

const PARTS = ['pets', 'limits', 'bans', 'clock', 'faults', 'requests', 'keys'] as const

/** Back to the start, by parts. */
function Reset() {
  const parts = useSignal<readonly string[]>(['pets'])
  const chosen = PARTS.filter((part) => parts.value.includes(part))
  return (
    <form class="form">
      <fieldset class="parts" aria-label="Parts to reset">
        {PARTS.map((part) => (
          <label key={part} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(part)}
              onChange={({ currentTarget }) => {
                const rest = parts.value.filter((each) => each !== part)
                parts.value = currentTarget.checked ? [...rest, part] : rest
              }}
            />{' '}
            {part}
          </label>
        ))}
      </fieldset>
      <Act
        type="submit"
        class="primary"
        place="reset"
        disabled={chosen.length === 0}
        command={command('reset', ...chosen)}
        run={() => answerOf(api.POST('/reset', { ...inWorld(), body: { only: chosen } }))}
      >
        Reset
      </Act>
      <Refused place="reset" />
    </form>
  )
}
