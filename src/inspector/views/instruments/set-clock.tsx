import { useSignal } from '@preact/signals'
import { turnClock } from '../../data/acts.ts'
import { command } from '../../data/location.ts'
import { worldNow } from '../../data/state.ts'
import { Act } from '../../parts/act.tsx'

export function SetClock() {
  const wanted = useSignal<string | undefined>(undefined)
  const instant = wanted.value ?? `${new Date(worldNow.peek()).toISOString().slice(0, -5)}Z`
  return (
    <form class="form">
      <label>
        Instant, UTC
        <input
          value={instant}
          spellcheck={false}
          onInput={({ currentTarget }) => {
            wanted.value = currentTarget.value
          }}
        />
      </label>
      <Act
        type="submit"
        place="clock"
        command={command('clock', 'set', instant)}
        run={() => turnClock({ set: instant })}
      >
        Set the clock
      </Act>
    </form>
  )
}
