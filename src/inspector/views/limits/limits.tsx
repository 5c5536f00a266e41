import { useSignal } from '@preact/signals'
import { keyCalls } from '../../data/acts.ts'
import { answerOf, api } from '../../data/api.ts'
import { command, inWorld, point } from '../../data/location.ts'
import { bareKey, decisions, keys, limits, nameOf, worldNow } from '../../data/state.ts'
import type { Key } from '../../data/types.ts'
import { Act, Copy, Refused } from '../../parts/act.tsx'
import { Level, Rest } from '../../parts/gauge.tsx'
import { buttons, Head } from '../../parts/head.tsx'
import { Menu } from '../../parts/menu.tsx'
import { fullIn } from '../../text/quota.ts'
import { visible } from '../../text/text.ts'
import { dateOf, distance, timeOfDay } from '../../text/time.ts'
import './limits.css'

/** Every key with both of its windows and its ban, in an order that traffic does not change. */
export function Limits() {
  return (
    <div class="sheet">
      <section>
        <div class="acts">
          <h2>Every key</h2>
          <span class="quiet small">plans, issued keys, triggers; traffic moves no row</span>
          <span class="push" />
          <Issue />
        </div>
        <Refused place="keys" />
        <section class="wide" aria-label="Keys" tabIndex={0}>
          <table class="t keys">
            <Head columns={['Key', 'Plan', 'Left this minute', 'Left today', 'State', buttons('Change')]} />
            <tbody>
              {keys.value.map((key) => (
                <Line key={key.key} view={key} />
              ))}
            </tbody>
          </table>
        </section>
      </section>
    </div>
  )
}

function Line({ view }: { view: Key }) {
  const name = nameOf(view)
  const found = view.revoked ? undefined : limits.value.get(name)
  const now = worldNow.value
  return (
    <tr>
      <th scope="row" class="data">
        {visible(name)}
      </th>
      <td class="quiet">{view.plan}</td>
      {(['minute', 'day'] as const).map((span) => (
        <td key={span} class="window">
          {found && (
            <span>
              <span class="data">
                <Rest window={found[span]} now={now} />
              </span>
              <Level window={found[span]} now={now} />
              {span === 'minute' && <span class="quiet small">{fullIn(found.minute, now)}</span>}
            </span>
          )}
        </td>
      ))}
      <td class={stateTone(view, now)}>{stateOf(view, now, found?.ban?.until)}</td>
      <td class="change">
        {!view.revoked && <Change view={view} name={name} isBanned={found?.ban != null} />}
      </td>
    </tr>
  )
}

function Change({ view, name, isBanned }: { view: Key; name: string; isBanned: boolean }) {
  const { refill, leave, ban, lift, revoke } = keyCalls(name)
  const key = bareKey(view.key)
  const acts: readonly (readonly [string, readonly string[], () => unknown])[] = [
    ['Refill', ['limits', key, '--refill'], refill],
    ['Leave 1', ['limits', key, '--leave', '1'], () => leave(1)],
    ['Leave 0', ['limits', key, '--leave', '0'], () => leave(0)],
    isBanned ? ['Lift ban', ['limits', key, '--lift'], lift] : ['Ban', ['limits', key, '--ban'], ban],
    ['Revoke', ['keys', 'revoke', view.key], revoke],
  ]
  return (
    <span class="group">
      {acts.map(([text, words, run]) => (
        <Act
          key={text}
          place="keys"
          label={`${text}: ${visible(name)}`}
          command={command(...words)}
          run={run}
        >
          {text}
        </Act>
      ))}
    </span>
  )
}

const isExpired = ({ expiresAt }: Key, now: number): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now

const stateTone = (key: Key, now: number): string => (key.revoked || isExpired(key, now) ? 'warn' : 'quiet')

function stateOf(key: Key, now: number, bannedUntil: string | undefined): string {
  const { revoked, expiresAt, source } = key
  if (revoked) return 'revoked'
  if (expiresAt !== null && isExpired(key, now)) return `expired ${dateOf(expiresAt)}`
  if (bannedUntil !== undefined)
    return `banned until ${timeOfDay(bannedUntil, 0)}, ${distance(Date.parse(bannedUntil), now)}`
  if (expiresAt !== null) return `${source}, expires ${distance(Date.parse(expiresAt), now)}`
  return source === 'built-in' ? '' : source
}

function Issue() {
  const plan = useSignal('pro')
  const issued = useSignal('')
  const plans = [...new Set(keys.value.map((key) => key.plan))]
  return (
    <Menu
      label="Issue a key…"
      class="primary"
      disabled={point.value !== undefined || decisions.value.length === 0}
    >
      <form class="form">
        <label>
          Plan
          <select
            value={plan.value}
            onChange={({ currentTarget }) => {
              plan.value = currentTarget.value
            }}
          >
            {plans.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <Act
          type="submit"
          place="issue"
          command={command('keys', 'create', plan.value)}
          run={async () => {
            const { key } = await answerOf(
              api.POST('/keys', { ...inWorld(), body: { plan: plan.value as 'pro' } }),
            )
            issued.value = key
          }}
        >
          Issue
        </Act>
        {issued.value !== '' && (
          <p class="snippet">
            <code>{issued.value}</code>
            <Copy text={issued.value} />
          </p>
        )}
        <Refused place="issue" />
      </form>
    </Menu>
  )
}
