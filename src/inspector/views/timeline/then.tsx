import { signal } from '@preact/signals'
import { fork, freeName, gone, rewind, saveRecording } from '../../data/history.ts'
import { command, go, world } from '../../data/location.ts'
import { point } from '../../data/point.ts'
import { Act, Refused } from '../../parts/act.tsx'
import { timeOfDay } from '../../text/time.ts'

const into = signal<string | undefined>(undefined)
const forking = signal(false)

/** Says that the page shows what was, and what can be done from there. */
export function Then() {
  const then = point.value
  if (!then) return null
  const name = into.value ?? freeName.value
  return (
    <section class="then" aria-label="Point in time">
      <p role="status">
        Pets, limits, clock, faults and report as they were before <b>{then.id}</b>, {timeOfDay(then.at)}
      </p>
      <div class="acts">
        <Act place="then" always command={command('rewind', then.id)} run={() => rewind(then.id)}>
          Rewind to before
        </Act>
        <button
          type="button"
          class="act"
          aria-expanded={forking.value}
          onClick={() => {
            forking.value = !forking.value
          }}
        >
          Fork from here…
        </button>
        <Act place="then" always command={`${command('record')} > ${world.value}.jsonl`} run={saveRecording}>
          Save the recording
        </Act>
        <button
          type="button"
          class="act"
          onClick={() => {
            point.value = undefined
          }}
        >
          Back to now <kbd>Esc</kbd>
        </button>
      </div>
      {forking.value && (
        <form class="acts" onSubmit={(event) => event.preventDefault()}>
          <label>
            Into the namespace{' '}
            <input
              value={name}
              size={12}
              spellcheck={false}
              onInput={({ currentTarget }) => {
                into.value = currentTarget.value
              }}
            />
          </label>
          <Act
            place="then"
            always
            command={command('fork', name, '--at', then.id, '--side', 'before')}
            run={async () => {
              await fork(world.value, name, then.id)
              forking.value = false
              into.value = undefined
              point.value = undefined
              go({ namespace: name, id: undefined, view: 'requests' })
            }}
          >
            Fork
          </Act>
        </form>
      )}
      <Refused place="then" />
      {gone.value !== '' && (
        <p class="refused" role="alert">
          {gone.value}
        </p>
      )}
    </section>
  )
}
