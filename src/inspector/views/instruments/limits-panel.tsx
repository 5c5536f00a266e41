import { chosenKey } from '../../data/chosen-key.ts'
import { seenKeys } from '../../data/journal.ts'
import { choose, keyCalls } from '../../data/key-limits.ts'
import { command } from '../../data/location.ts'
import { limits, worldNow } from '../../data/world-state.ts'
import { Act, Refused } from '../../parts/act.tsx'
import { Gauge } from '../../parts/gauge.tsx'
import { timeOfDay } from '../../text/time.ts'

/** The quota of the chosen key, with the actions that change it. */
export function LimitsPanel() {
  const key = chosenKey()
  const names = [...new Set([...seenKeys.value, 'psk_free', 'psk_pro', key])].slice(0, 5)
  const view = limits.value.get(key)
  const { refill, leave, ban, lift } = keyCalls(key)
  return (
    <section aria-labelledby="limits">
      <h2 id="limits">Limits</h2>
      <label class="choice">
        <span aria-hidden="true">Key</span>
        <select aria-label="Key" value={key} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {view && <Gauge label="minute" window={view.minute} now={worldNow.value} />}
      {view && <Gauge label="day" window={view.day} now={worldNow.value} />}
      {view?.ban && <p class="hint bad">banned until {timeOfDay(view.ban.until, 0)}</p>}
      <div class="acts">
        <Act place="limits" command={command('limits', key, '--refill')} run={refill}>
          Refill
        </Act>
        <Act place="limits" command={command('limits', key, '--leave', '1')} run={() => leave(1)}>
          Leave 1
        </Act>
        {view?.ban ? (
          <Act place="limits" command={command('limits', key, '--lift')} run={lift}>
            Lift ban
          </Act>
        ) : (
          <Act place="limits" command={command('limits', key, '--ban')} run={ban}>
            Ban
          </Act>
        )}
      </div>
      <Refused place="limits" />
    </section>
  )
}
