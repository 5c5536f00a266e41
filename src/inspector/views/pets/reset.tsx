import { signal } from '@preact/signals'
import { answerOf, api } from '../../data/api.ts'
import { save } from '../../data/download.ts'
import { command, inWorld, world } from '../../data/location.ts'
import { petsChanged, refreshFaults, refreshKeys } from '../../data/world-state.ts'
import { Act, Refused } from '../../parts/act.tsx'

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
