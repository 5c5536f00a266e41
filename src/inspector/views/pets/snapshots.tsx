import { effect, signal } from '@preact/signals'
import { answerOf, api } from '../../data/api.ts'
import { command, inWorld, route, world } from '../../data/location.ts'
import type { Snapshot } from '../../data/types.ts'
import { namespaces, petsChanged } from '../../data/world-state.ts'
import { Act, Refused } from '../../parts/act.tsx'
import { brief, count } from '../../text/text.ts'
import { dateOf, timeOfDay } from '../../text/time.ts'

const snapshots = signal<readonly Snapshot[]>([])
const snapshotName = signal('before')
const difference = signal('')

const refreshSnapshots = async () => {
  snapshots.value = await answerOf(api.GET('/snapshots', inWorld()))
}

effect(() => {
  world.value
  snapshots.value = []
  difference.value = ''
})

/** Also every few seconds: no event tells of those that others save. */
effect(() => {
  world.value
  namespaces.value
  if (route.value.view === 'pets') refreshSnapshots().catch(() => {})
})

async function compare(name: string): Promise<void> {
  const query = { namespace: world.value, a: `snapshot:${name}`, b: 'now' }
  const { added, removed, changed: other } = await answerOf(api.GET('/diff', { params: { query } }))
  difference.value = `Since ${name}: ${added.count} added, ${removed.count} removed, ${other.count} changed.`
}

/** The snapshots of the world: restore, compare, delete, save. */
export function Snapshots() {
  const at = (name: string) => ({ params: { path: { name }, query: { namespace: world.value } } })
  const name = snapshotName.value
  const isTaken = snapshots.value.some((each) => each.name === name)
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
                  petsChanged()
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
          command={command('snapshot', 'save', name, ...(isTaken ? ['--force'] : []))}
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
