import { signal } from '@preact/signals'
import { answerOf, api } from '../../data/api.ts'
import { effective } from '../../data/decisions.ts'
import { shownClock } from '../../data/history.ts'
import { command, inWorld } from '../../data/location.ts'
import type { Clock } from '../../data/types.ts'
import { clock, tick, worldNow } from '../../data/world-state.ts'
import { Act, Refused } from '../../parts/act.tsx'
import { ahead, dateOf, timeOfDay } from '../../text/time.ts'

const setting = signal(false)

function take(told: Clock): void {
  clock.value = { ...told, readAt: Date.now() }
}

const turn = async (body: { advance?: string; set?: string; frozen?: boolean }) =>
  take(await answerOf(api.POST('/clock', { ...inWorld(), body })))

/** The time of the world, and what turns it. */
export function ClockPanel() {
  const known = shownClock.value
  const now = worldNow.value
  const removedOn = effective('get.removedOn')
  const frozen = known?.frozen === true
  return (
    <section aria-labelledby="clock">
      <h2 id="clock">Clock</h2>
      <p class="time">{known ? timeOfDay(now, 0) : '--:--:--'}</p>
      <p class="hint">
        {known
          ? `${dateOf(now)}, ${ahead(now, tick.value)}, ${frozen ? 'frozen' : 'running'}`
          : 'not read yet'}
      </p>
      <div class="acts">
        <Act place="clock" command={command('clock', 'advance', '61s')} run={() => turn({ advance: '61s' })}>
          +61 s
        </Act>
        <Act place="clock" command={command('clock', 'advance', '1d')} run={() => turn({ advance: '1d' })}>
          +1 day
        </Act>
        <button
          type="button"
          class="act"
          aria-expanded={setting.value}
          onClick={() => {
            setting.value = !setting.value
          }}
        >
          Set…
        </button>
        {frozen ? (
          <Act place="clock" command={command('clock', 'resume')} run={() => turn({ frozen: false })}>
            Run
          </Act>
        ) : (
          <Act place="clock" command={command('clock', 'freeze')} run={() => turn({ frozen: true })}>
            Freeze
          </Act>
        )}
        <Act
          place="clock"
          command={command('clock', 'reset')}
          run={async () => take(await answerOf(api.DELETE('/clock', inWorld())))}
        >
          Real time
        </Act>
        {typeof removedOn === 'string' && (
          <Act
            place="clock"
            command={command('clock', 'set', removedOn)}
            run={() => turn({ set: removedOn })}
          >
            To the day getPet is removed
          </Act>
        )}
      </div>
      {setting.value && <SetClock />}
      <Refused place="clock" />
    </section>
  )
}

/** Undefined = nothing was typed yet. */
const wanted = signal<string | undefined>(undefined)

function SetClock() {
  wanted.value ??= `${new Date(worldNow.peek()).toISOString().slice(0, 19)}Z`
  const instant = wanted.value
  return (
    <form class="form" onSubmit={(event) => event.preventDefault()}>
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
      <Act place="clock" command={command('clock', 'set', instant)} run={() => turn({ set: instant })}>
        Set the clock
      </Act>
    </form>
  )
}
