import { useSignal } from '@preact/signals'
import { call } from '../../data/call.ts'
import { point } from '../../data/location.ts'
import { bareKey, keys, limits, nameOf, worldNow } from '../../data/state.ts'
import type { Key } from '../../data/types.ts'
import { Act, Place, Snippet } from '../../parts/act.tsx'
import { CallForm } from '../../parts/form.tsx'
import { Level, Rest } from '../../parts/gauge.tsx'
import { Menu } from '../../parts/menu.tsx'
import { buttons, looking, Table } from '../../parts/table.tsx'
import { fullIn, type Window } from '../../text/quota.ts'
import { visible } from '../../text/text.ts'
import { dateOf, distance, timeOfDay } from '../../text/time.ts'
import './limits.css'

/** Every key with both windows and its ban, in a fixed order. */
export function Limits() {
  const now = worldNow.value
  return (
    <div class="sheet">
      <section aria-label="Keys">
        <div class="acts">
          <h2>Every key</h2>
          <span class="quiet small">plans, issued keys, triggers; traffic moves no row</span>
          <span class="push" />
          <Issue />
        </div>
        <Place name="keys">
          <Table
            class="keys"
            columns={[
              looking('data', 'Key'),
              looking('quiet', 'Plan'),
              looking('window', 'Left this minute'),
              looking('window', 'Left today'),
              'State',
              { ...buttons('Change'), look: 'change' },
            ]}
            rows={keys.value}
            of={({ key }) => key}
            cells={(view) => {
              const name = nameOf(view)
              const { minute, day, ban } = (!view.revoked && limits.value.get(name)) || {}
              return [
                visible(name),
                view.plan,
                minute && <Left window={minute} note={fullIn(minute, now)} />,
                day && <Left window={day} />,
                <span class={view.revoked || isExpired(view, now) ? 'warn' : 'quiet'}>
                  {stateOf(view, now, ban?.until)}
                </span>,
                !view.revoked && <Change view={view} name={name} isBanned={ban != null} />,
              ]
            }}
          />
        </Place>
      </section>
    </div>
  )
}

const Left = ({ window, note }: { window: Window; note?: string }) => (
  <span>
    <span class="data">
      <Rest window={window} now={worldNow.value} />
    </span>
    <Level window={window} now={worldNow.value} />
    {note !== undefined && <span class="quiet small">{note}</span>}
  </span>
)

function Change({ view, name, isBanned }: { view: Key; name: string; isBanned: boolean }) {
  const params = { key: bareKey(view.key) }
  const acts = {
    Refill: call('refillKeyLimits', { params }),
    'Leave 1': call('setKeyLimits', { params, body: { remaining: 1 } }),
    'Leave 0': call('setKeyLimits', { params, body: { remaining: 0 } }),
    ...(isBanned ? { 'Lift ban': call('liftBan', { params }) } : { Ban: call('banKey', { params }) }),
    Revoke: call('revokeKey', { params: { key: view.key } }),
  }
  return (
    <span class="group">
      {Object.entries(acts).map(([text, press]) => (
        <Act key={text} label={`${text}: ${visible(name)}`} {...press}>
          {text}
        </Act>
      ))}
    </span>
  )
}

const isExpired = ({ expiresAt }: Key, now: number): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now

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
  const issued = useSignal('')
  return (
    <Menu label="Issue a key…" class="primary" disabled={point.value !== undefined}>
      <CallForm
        id="createKey"
        only={['plan', 'expiresAt']}
        first={{ plan: 'pro' }}
        submit="Issue"
        done={(answer) => {
          issued.value = (answer as Key).key
        }}
      >
        {issued.value !== '' && <Snippet text={issued.value} />}
      </CallForm>
    </Menu>
  )
}
