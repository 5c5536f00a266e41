import { effect, signal } from '@preact/signals'
import { Act, Refused } from './act.tsx'
import { answerOf, api } from './api.ts'
import { quote } from './commands.ts'
import { save } from './download.ts'
import { command, inWorld, petsVersion, refreshFaults, refreshKeys, route, world } from './state.ts'
import { brief, count } from './text.ts'
import { dateOf, timeOfDay } from './time.ts'
import type { PetStatus, Snapshot } from './types.ts'

const FIXTURES = ['default', 'empty', 'sold-out', 'busy', 'edge-cases']
const PARTS = ['pets', 'limits', 'bans', 'clock', 'faults', 'requests', 'keys'] as const

const changed = () => {
  petsVersion.value++
}

/** What changes the pets: add, seed, snapshots, reset, export. */
export const PetActs = () => (
  <aside aria-label="Change the pets">
    <AddPet />
    <Seed />
    <Snapshots />
    <Reset />
  </aside>
)

const draft = signal({ name: '', categoryId: '1', status: '' })

function AddPet() {
  const { name, categoryId, status } = draft.value
  // Digits go in as they were typed, so that none is lost.
  const number = /^-?\d+$/.test(categoryId) ? categoryId : JSON.stringify(categoryId)
  const pet = `{"name":${JSON.stringify(name)},"categoryId":${number}${status && `,"status":"${status}"`}}`
  const body = `{"pets":[${pet}],"mode":"append"}`
  const change = (field: string) => (event: { currentTarget: HTMLInputElement | HTMLSelectElement }) => {
    draft.value = { ...draft.value, [field]: event.currentTarget.value }
  }
  return (
    <section>
      <h2>Add a pet</h2>
      <form class="form" onSubmit={(event) => event.preventDefault()}>
        <label>
          Name
          <input value={name} onInput={change('name')} />
        </label>
        <label>
          Category
          <input inputMode="numeric" value={categoryId} onInput={change('categoryId')} />
        </label>
        <label>
          Status
          <select value={status} onChange={change('status')}>
            <option value="">none</option>
            <option>available</option>
            <option>pending</option>
            <option>sold</option>
          </select>
        </label>
        <Act
          place="add"
          command={`echo ${quote(`{"pets":[${pet}]}`)} | ${command('seed', '-', '--append')}`}
          run={async () => {
            await answerOf(api.POST('/seed', { ...inWorld(), body: {} as never, bodySerializer: () => body }))
            changed()
          }}
        >
          Add
        </Act>
      </form>
      <Refused place="add" />
    </section>
  )
}

const amount = signal('500')
const shares = signal('')

/** `available=60,sold=40` as the command line takes it. */
export const sharesOf = (text: string): Partial<Record<PetStatus, number>> | undefined =>
  text.trim() === ''
    ? undefined
    : Object.fromEntries(
        text.split(',').map((part) => {
          const [name = '', value = ''] = part.split('=')
          return [name.trim(), Number(value)]
        }),
      )

function Seed() {
  const seed = async (body: object) => {
    await answerOf(api.POST('/seed', { ...inWorld(), body: body as { fixture: string; mode: 'replace' } }))
    changed()
  }
  const status = sharesOf(shares.value)
  return (
    <section>
      <h2>Seed</h2>
      <div class="acts">
        {FIXTURES.map((fixture) => (
          <Act key={fixture} place="seed" command={command('seed', fixture)} run={() => seed({ fixture })}>
            {fixture}
          </Act>
        ))}
      </div>
      <form class="form" onSubmit={(event) => event.preventDefault()}>
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
          place="seed"
          command={command(
            'seed',
            '--count',
            amount.value,
            ...(status ? ['--status', shares.value.trim()] : []),
          )}
          run={() => seed({ count: Number(amount.value), seed: 1, ...(status && { status }) })}
        >
          Generate
        </Act>
      </form>
      <Refused place="seed" />
    </section>
  )
}

const snapshots = signal<readonly Snapshot[]>([])
const snapshotName = signal('before')
const difference = signal('')

const refreshSnapshots = async () => {
  snapshots.value = await answerOf(api.GET('/snapshots', inWorld()))
}

effect(() => {
  world.value
  if (route.value.view === 'pets') refreshSnapshots().catch(() => {})
})

async function compare(name: string): Promise<void> {
  const query = { namespace: world.value, a: `snapshot:${name}`, b: 'now' }
  const { added, removed, changed: other } = await answerOf(api.GET('/diff', { params: { query } }))
  difference.value = `Since ${name}: ${added.count} added, ${removed.count} removed, ${other.count} changed.`
}

function Snapshots() {
  const at = (name: string) => ({ params: { path: { name }, query: { namespace: world.value } } })
  const name = snapshotName.value
  return (
    <section>
      <h2>Snapshots</h2>
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
                run={async () => {
                  await answerOf(api.POST('/snapshots/{name}/restore', at(each.name)))
                  changed()
                }}
              >
                Restore
              </Act>
              <Act
                class="small"
                place="snapshots"
                label={`Compare ${each.name} with now`}
                command={command('diff', `snapshot:${each.name}`, 'now')}
                run={() => compare(each.name)}
              >
                Compare
              </Act>
              <Act
                class="small"
                place="snapshots"
                label={`Delete ${each.name}`}
                command={command('snapshot', 'delete', each.name)}
                run={async () => {
                  await answerOf(api.DELETE('/snapshots/{name}', at(each.name)))
                  await refreshSnapshots()
                }}
              >
                Delete
              </Act>
            </span>
          </li>
        ))}
      </ul>
      {difference.value !== '' && (
        <p class="hint" role="status">
          {brief(difference.value)}
        </p>
      )}
      <form class="form" onSubmit={(event) => event.preventDefault()}>
        <label>
          Name
          <input
            value={name}
            onInput={({ currentTarget }) => {
              snapshotName.value = currentTarget.value
            }}
          />
        </label>
        <Act
          place="snapshots"
          command={command('snapshot', 'save', name)}
          run={async () => {
            await answerOf(api.PUT('/snapshots/{name}', at(name)))
            await refreshSnapshots()
          }}
        >
          Save
        </Act>
      </form>
      <Refused place="snapshots" />
    </section>
  )
}

const parts = signal<ReadonlySet<string>>(new Set(['pets']))

function Reset() {
  const chosen = PARTS.filter((part) => parts.value.has(part))
  return (
    <section>
      <h2>Reset</h2>
      <fieldset class="parts" aria-label="Parts to reset">
        {PARTS.map((part) => (
          <label key={part}>
            <input
              type="checkbox"
              checked={parts.value.has(part)}
              onChange={({ currentTarget }) => {
                const next = new Set(parts.value)
                if (currentTarget.checked) next.add(part)
                else next.delete(part)
                parts.value = next
              }}
            />
            {part}
          </label>
        ))}
      </fieldset>
      <div class="acts">
        <Act
          place="reset"
          disabled={chosen.length === 0}
          command={command('reset', ...chosen)}
          run={async () => {
            await answerOf(api.POST('/reset', { ...inWorld(), body: { only: chosen } }))
            changed()
            refreshFaults()
            refreshKeys()
          }}
        >
          Reset
        </Act>
        <Act
          place="reset"
          command={`${command('export')} > pets.json`}
          run={() => save(`/export?namespace=${world.value}`, `${world.value}.json`)}
        >
          Export
        </Act>
      </div>
      <Refused place="reset" />
    </section>
  )
}
