import { signal } from '@preact/signals'
import { Act, Refused } from '../frame/act.tsx'
import { answerOf, api } from '../sandbox/api.ts'
import { save } from '../sandbox/download.ts'
import { command, inWorld, world } from '../sandbox/location.ts'
import { petsChanged, refreshFaults, refreshKeys } from '../sandbox/world-state.ts'

const PARTS = ['pets', 'limits', 'bans', 'clock', 'faults', 'requests', 'keys'] as const

const parts = signal<ReadonlySet<string>>(new Set(['pets']))

/** Back to the start by parts; and the pets as a file. */
export function Reset() {
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
            petsChanged()
            refreshFaults()
            refreshKeys()
          }}
        >
          Reset
        </Act>
        <Act
          place="reset"
          command={`${command('export')} > ${world.value}.json`}
          run={() => save(`/export?namespace=${world.value}`, `${world.value}.json`)}
        >
          Export
        </Act>
      </div>
      <Refused place="reset" />
    </section>
  )
}
