import { useSignal } from '@preact/signals'
import { call } from '../../data/actions.ts'
import { isAll } from '../../data/location.ts'
import { bareKey, isValid, keys, limits, nameOf, worldNow } from '../../data/state.ts'
import type { Key, Window } from '../../data/types.ts'
import { ActionButton, Menu, Place, Snippet } from '../../parts/buttons.tsx'
import { CallForm } from '../../parts/form.tsx'
import { Level, Remaining } from '../../parts/gauge.tsx'
import { styled, Table } from '../../parts/table.tsx'
import { dateOf, distance, endOf, fullIn, isPast, visible } from '../../text/text.ts'
import './limits.css'

/** Every key with both windows and its ban, in a fixed order. */
export function Limits() {
  const now = worldNow.value
  return (
    <div class="sheet">
      <section aria-label="Keys">
        <div class="actions">
          <h2>Every key{isAll.value && ' of default'}</h2>
          <span class="quiet small">plans, issued keys, triggers</span>
          <span class="push" />
          <Issue />
        </div>
        <Place name="keys">
          <Table
            class="keys stacked"
            columns={[
              styled('data', 'Key'),
              styled('quiet', 'Plan'),
              styled('number data', 'Left this minute'),
              styled('quiet small', 'Full again'),
              styled('number data', 'Left today'),
              'State',
              styled('change', 'Change'),
            ]}
            rows={keys.value}
            keyOf={({ key }) => key}
            cells={(view) => {
              const name = nameOf(view)
              const { minute, day, ban } = limits.value.get(name) ?? {}
              const bannedUntil = isPast(ban?.until, now) ? undefined : ban?.until
              const state = stateOf(view, now, bannedUntil)
              return [
                visible(name),
                view.plan,
                left(minute),
                minute && fullIn(minute, now),
                left(day),
                state && <span class={minute ? 'quiet' : 'warn'}>{state}</span>,
                !view.revoked && <Change view={view} name={name} isBanned={bannedUntil !== undefined} />,
              ]
            }}
          />
        </Place>
      </section>
    </div>
  )
}

const left = (window: Window | undefined) =>
  window && [<Remaining key="rest" window={window} />, <Level key="level" window={window} />]

function Change({ view, name, isBanned }: { view: Key; name: string; isBanned: boolean }) {
  const params = { key: bareKey(view.key) }
  const actions = {
    ...(isValid(view) && {
      Refill: call('refillKeyLimits', { params }),
      'Leave 1': call('setKeyLimits', { params, body: { remaining: 1 } }),
      'Leave 0': call('setKeyLimits', { params, body: { remaining: 0 } }),
      ...(isBanned ? { 'Lift ban': call('liftBan', { params }) } : { Ban: call('banKey', { params }) }),
    }),
    Revoke: call('revokeKey', { params: { key: view.key } }),
  }
  return (
    <span class="group">
      {Object.entries(actions).map(([text, action]) => (
        <ActionButton key={text} text={text} aria-label={`${text}: ${visible(name)}`} {...action} />
      ))}
    </span>
  )
}

function stateOf(view: Key, now: number, bannedUntil?: string): string {
  const { revoked, expiresAt, source } = view
  if (revoked) return 'revoked'
  if (expiresAt !== null && !isValid(view)) return `expired ${dateOf(expiresAt)}`
  if (bannedUntil !== undefined)
    return `banned until ${endOf(bannedUntil)}, ${distance(Date.parse(bannedUntil), now)}`
  if (expiresAt !== null) return `${source}, expires ${distance(Date.parse(expiresAt), now)}`
  return source === 'built-in' ? '' : source
}

function Issue() {
  const issued = useSignal('')
  return (
    <Menu text="Issue a key…" class="primary" changes>
      <CallForm
        id="createKey"
        only={['plan', 'expiresAt']}
        first={{ plan: 'pro' }}
        submit="Issue"
        done={(answer) => (issued.value = (answer as Key).key)}
      >
        {issued.value !== '' && <Snippet text={issued.value} />}
      </CallForm>
    </Menu>
  )
}
