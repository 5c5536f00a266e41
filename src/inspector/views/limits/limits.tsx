import { effect, signal } from '@preact/signals'
import { answerOf, api } from '../../data/api.ts'
import { seenKeys } from '../../data/journal.ts'
import { keyCalls } from '../../data/key-limits.ts'
import { command, inWorld, route, world } from '../../data/location.ts'
import type { Key } from '../../data/types.ts'
import { keys, limits, refreshKeys, worldNow } from '../../data/world-state.ts'
import { Act, Copy, Refused } from '../../parts/act.tsx'
import { Gauge } from '../../parts/gauge.tsx'
import { Scroll } from '../../parts/scroll.tsx'
import { bareKey } from '../../text/keys.ts'
import { dateOf, distance, timeOfDay } from '../../text/time.ts'

effect(() => {
  world.value
  if (route.value.view === 'limits') refreshKeys()
})

/** Every key with both of its windows and its ban; those that sent something come first. */
export function Limits() {
  const seen = seenKeys.value
  const place = ({ key }: Key): number => (seen.includes(bareKey(key)) ? seen.indexOf(bareKey(key)) : 99)
  const sorted = [...keys.value].sort((a, b) => place(a) - place(b))
  return (
    <div class="sheet">
      <section>
        <h2>Keys</h2>
        <Scroll label="Keys">
          <table class="keys">
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">Plan</th>
                <th scope="col">This minute</th>
                <th scope="col">Today</th>
                <th scope="col">State</th>
                <th scope="col">Change</th>
              </tr>
            </thead>
            <tbody>
              {sorted.map((key) => (
                <Line key={key.key} view={key} />
              ))}
            </tbody>
          </table>
        </Scroll>
        <Refused place="keys" />
      </section>
      <Issue />
    </div>
  )
}

function Line({ view }: { view: Key }) {
  const key = bareKey(view.key)
  const found = limits.value.get(key)
  const { refill, leave, ban, lift } = keyCalls(key)
  const now = worldNow.value
  return (
    <tr>
      <td class="name">{view.key}</td>
      <td>{view.plan}</td>
      <td>{found && !view.revoked && <Gauge label="minute" window={found.minute} now={now} />}</td>
      <td>{found && !view.revoked && <Gauge label="day" window={found.day} now={now} />}</td>
      <td class="words">{stateOf(view, now, found?.ban?.until)}</td>
      <td class="words">
        {!view.revoked && (
          <span class="acts">
            <Act
              class="small"
              place="keys"
              label={`Refill ${key}`}
              command={command('limits', key, '--refill')}
              run={refill}
            >
              Refill
            </Act>
            <Act
              class="small"
              place="keys"
              label={`Leave 1: ${key}`}
              command={command('limits', key, '--leave', '1')}
              run={() => leave(1)}
            >
              Leave 1
            </Act>
            <Act
              class="small"
              place="keys"
              label={`Leave 0: ${key}`}
              command={command('limits', key, '--leave', '0')}
              run={() => leave(0)}
            >
              Leave 0
            </Act>
            {found?.ban ? (
              <Act
                class="small"
                place="keys"
                label={`Lift ban: ${key}`}
                command={command('limits', key, '--lift')}
                run={lift}
              >
                Lift ban
              </Act>
            ) : (
              <Act
                class="small"
                place="keys"
                label={`Ban ${key}`}
                command={command('limits', key, '--ban')}
                run={ban}
              >
                Ban
              </Act>
            )}
            <Act
              class="small"
              place="keys"
              label={`Revoke ${key}`}
              command={command('keys', 'revoke', view.key)}
              run={async () => {
                await answerOf(
                  api.DELETE('/keys/{key}', { params: { path: { key }, query: { namespace: world.value } } }),
                )
                refreshKeys()
              }}
            >
              Revoke
            </Act>
          </span>
        )}
      </td>
    </tr>
  )
}

function stateOf({ revoked, expiresAt, source }: Key, now: number, bannedUntil: string | undefined): string {
  if (revoked) return 'revoked'
  if (expiresAt !== null && Date.parse(expiresAt) <= now) return `expired ${dateOf(expiresAt)}`
  if (bannedUntil !== undefined)
    return `banned until ${timeOfDay(bannedUntil, 0)}, ${distance(Date.parse(bannedUntil), now)}`
  return expiresAt === null ? source : `${source}, expires ${distance(Date.parse(expiresAt), now)}`
}

const PLANS = ['free', 'pro', 'business', 'enterprise'] as const
const plan = signal<(typeof PLANS)[number]>('pro')
const issued = signal('')
effect(() => {
  world.value
  issued.value = ''
})

const Issue = () => (
  <section>
    <h2>Issue a key</h2>
    <div class="acts">
      <select
        aria-label="Plan"
        value={plan.value}
        onChange={({ currentTarget }) => {
          plan.value = currentTarget.value as 'pro'
        }}
      >
        {PLANS.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <Act
        place="issue"
        command={command('keys', 'create', plan.value)}
        run={async () => {
          const { key } = await answerOf(api.POST('/keys', { ...inWorld(), body: { plan: plan.value } }))
          issued.value = key
          refreshKeys()
        }}
      >
        Issue
      </Act>
      {issued.value !== '' && (
        <>
          <code>{issued.value}</code>
          <Copy text={issued.value}>Copy</Copy>
        </>
      )}
    </div>
    <Refused place="issue" />
  </section>
)
