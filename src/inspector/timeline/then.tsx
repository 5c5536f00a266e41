import { signal } from '@preact/signals'
import { Act, Refused } from '../frame/act.tsx'
import { command } from '../sandbox/location.ts'
import { timeOfDay } from '../text/time.ts'
import { canFork, canRecord, canRewind, fork, gone, rewind, saveRecording } from './history.ts'
import { point } from './point.ts'

const into = signal('w2')
const forking = signal(false)

/** Says that the page shows what was, and what can be done from there. */
export function Then() {
  const then = point.value
  if (!then) return null
  return (
    <section class="then" aria-label="Point in time">
      <p role="status">
        Pets, limits, clock and faults as they were before <b>{then.id}</b>, {timeOfDay(then.at)}
      </p>
      <div class="acts">
        {canRewind.value && (
          <Act place="then" always command={command('rewind', then.id)} run={() => rewind(then.id)}>
            Rewind to before
          </Act>
        )}
        {canFork.value && (
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
        )}
        {canRecord.value && (
          <Act place="then" always command={command('record')} run={saveRecording}>
            Save the recording
          </Act>
        )}
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
              value={into.value}
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
            command={command('fork', into.value, '--at', then.id, '--side', 'before')}
            run={async () => {
              await fork(into.value, then.id)
              forking.value = false
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
