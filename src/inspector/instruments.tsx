import { signal } from '@preact/signals'
import { Act, Refused } from './act.tsx'
import { answerOf, api } from './api.ts'
import { faultWords } from './commands.ts'
import { inForce } from './decisions.ts'
import { Gauge } from './gauge.tsx'
import { shownClock } from './history.ts'
import { point } from './point.ts'
import {
  clock,
  command,
  faults,
  holds,
  inWorld,
  limits,
  refreshFaults,
  refreshHolds,
  refreshLimits,
  seenKeys,
  tick,
  world,
  worldNow,
} from './state.ts'
import { brief } from './text.ts'
import { ahead, dateOf, distance, timeOfDay } from './time.ts'
import type { Clock, Fault, HoldUntil, NewFault } from './types.ts'
import { instrumentsOpen } from './ui.ts'

/** What can be turned: always at hand. */
export const Instruments = () => (
  <aside class={`instruments${instrumentsOpen.value ? ' open' : ''}`} aria-label="Instruments">
    <ClockPanel />
    <LimitsPanel />
    <FaultsPanel />
  </aside>
)

const setting = signal(false)

function take(told: Clock): void {
  clock.value = { ...told, readAt: Date.now() }
}

const turn = async (body: { advance?: string; set?: string; frozen?: boolean }) =>
  take(await answerOf(api.POST('/clock', { ...inWorld(), body })))

function ClockPanel() {
  const known = shownClock.value
  const now = worldNow.value
  const removedOn = inForce('get.removedOn')
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

const wanted = signal('')

function SetClock() {
  if (wanted.value === '') wanted.value = `${new Date(worldNow.value).toISOString().slice(0, 19)}Z`
  return (
    <form class="form" onSubmit={(event) => event.preventDefault()}>
      <label>
        Instant, UTC
        <input
          value={wanted.value}
          spellcheck={false}
          onInput={({ currentTarget }) => {
            wanted.value = currentTarget.value
          }}
        />
      </label>
      <Act
        place="clock"
        command={command('clock', 'set', wanted.value)}
        run={() => turn({ set: wanted.value })}
      >
        Set the clock
      </Act>
    </form>
  )
}

const chosen = signal<string | undefined>(undefined)

/** The key that the instruments act on and whose quota the timeline draws. */
export const chosenKey = (): string => chosen.value ?? seenKeys.value[0] ?? 'psk_free'

export const keyCalls = (key: string) => {
  const at = { params: { path: { key }, query: { namespace: world.value } } }
  const then = async (call: Promise<unknown>) => {
    await call
    refreshLimits()
  }
  return {
    refill: () => then(answerOf(api.DELETE('/keys/{key}/limits', at))),
    leave: (remaining: number) =>
      then(answerOf(api.PUT('/keys/{key}/limits', { ...at, body: { remaining } }))),
    ban: () => then(answerOf(api.PUT('/keys/{key}/ban', { ...at, body: {} }))),
    lift: () => then(answerOf(api.DELETE('/keys/{key}/ban', at))),
  }
}

function LimitsPanel() {
  const key = chosenKey()
  const names = [...new Set([...seenKeys.value, 'psk_free', 'psk_pro', key])].slice(0, 5)
  const view = limits.value.get(key)
  const { refill, leave, ban, lift } = keyCalls(key)
  return (
    <section aria-labelledby="limits">
      <h2 id="limits">Limits</h2>
      <label class="choice">
        <span aria-hidden="true">Key</span>
        <select
          aria-label="Key"
          value={key}
          onChange={({ currentTarget }) => {
            chosen.value = currentTarget.value
            refreshLimits()
          }}
        >
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

const add = async (body: NewFault) => {
  await answerOf(api.POST('/faults', { ...inWorld(), body }))
  refreshFaults()
}

export const faultText = ({ match = {}, effect, when }: NewFault | Fault): string => {
  const subject = match.operationId ?? [match.method, match.path].filter(Boolean).join(' ')
  const what =
    'hold' in effect
      ? holdText(effect.hold.until)
      : 'wire' in effect
        ? WIRE[effect.wire]
        : 'latency' in effect
          ? effect.latency
          : effect.status
  return `${brief(subject || 'every request', 60)}${match.key ? ` of ${brief(match.key, 40)}` : ''} → ${what}${when === 'after' ? ', carried out' : ''}`
}

const holdText = (until: HoldUntil): string =>
  until === 'released'
    ? 'held until released'
    : `held until ${brief(Object.values(until).join(' ') || 'any request', 60)}`

const WIRE = {
  reset: 'connection reset',
  empty: 'no answer',
  truncate: 'half an answer',
  garbage: 'garbage',
  hang: 'never an answer',
} as const

/** One press each. */
const PRESETS: readonly (readonly [name: string, rule: NewFault])[] = [
  [
    'Lose next answer',
    { match: { operationId: 'createPet' }, effect: { wire: 'truncate' }, when: 'after', times: 1 },
  ],
  ['503 twice', { effect: { status: 503 }, when: 'before', times: 2 }],
  ['429 now', { effect: { status: 429, retryAfter: 5 }, when: 'before', times: 1 }],
  ['2 s late', { effect: { latency: '2s' }, when: 'before', times: 1 }],
  ['Reset the connection', { effect: { wire: 'reset' }, when: 'before', times: 1 }],
]

const ruling = signal(false)

function FaultsPanel() {
  return (
    <section aria-labelledby="faults">
      <h2 id="faults">Faults</h2>
      <ul class="rules">
        {faults.value.slice(0, 30).map((fault) => (
          <li key={fault.id}>
            <span>{faultText(fault)}</span>
            <span class="quiet">
              {fault.acted} of {fault.times ?? '∞'}
              {fault.expiresAt && `, ends ${distance(Date.parse(fault.expiresAt), worldNow.value)}`}
            </span>
            <Act
              place="faults"
              class="small"
              label={`Remove ${fault.id}`}
              command={command('faults', 'remove', fault.id)}
              run={async () => {
                await answerOf(
                  api.DELETE('/faults/{id}', {
                    params: { path: { id: fault.id }, query: { namespace: world.value } },
                  }),
                )
                refreshFaults()
              }}
            >
              Remove
            </Act>
          </li>
        ))}
      </ul>
      {!point.value && <Holds />}
      {faults.value.length > 30 && <p class="hint">and {faults.value.length - 30} more</p>}
      <div class="acts">
        {PRESETS.map(([name, rule]) => (
          <Act key={name} place="faults" command={command(...faultWords(rule))} run={() => add(rule)}>
            {name}
          </Act>
        ))}
        <button
          type="button"
          class="act"
          aria-expanded={ruling.value}
          onClick={() => {
            ruling.value = !ruling.value
          }}
        >
          Rule…
        </button>
        {faults.value.length > 1 && (
          <Act
            place="faults"
            command={command('faults', 'clear')}
            run={async () => {
              await answerOf(api.DELETE('/faults', inWorld()))
              refreshFaults()
            }}
          >
            Clear all
          </Act>
        )}
      </div>
      {ruling.value && <RuleForm />}
      <Refused place="faults" />
    </section>
  )
}

/** Requests that wait for their answer, each with the button that lets it go on. */
const Holds = () => (
  <ul class="rules" aria-label="Held requests">
    {holds.value.slice(0, 30).map(({ id, request, operationId, until, since, timeout }) => (
      <li key={id}>
        <span>
          {brief(`${request} ${operationId ?? ''}`, 80)} {holdText(until)}
        </span>
        <span class="quiet">
          {distance(Date.parse(since), worldNow.value)}, at most {brief(timeout, 20)}
        </span>
        <Act
          place="faults"
          class="small"
          label={`Release ${id}`}
          command={command('holds', 'release', id)}
          run={async () => {
            await answerOf(
              api.POST('/holds/{id}/release', {
                params: { path: { id }, query: { namespace: world.value } },
              }),
            )
            refreshHolds()
          }}
        >
          Release
        </Act>
      </li>
    ))}
  </ul>
)

const draft = signal({ operation: '', effect: '503', when: 'before', times: '1', for: '' })
const OPERATIONS = ['listPets', 'createPet', 'getPet', 'listOrders']
const EFFECTS = [
  '500',
  '503',
  '429',
  '401',
  '200ms',
  '2s',
  'reset',
  'empty',
  'truncate',
  'garbage',
  'hang',
  'hold',
]

function ruleOf({ operation, effect, when, times, for: lasts }: (typeof draft)['value']): NewFault {
  return {
    ...(operation !== '' && { match: { operationId: operation } }),
    effect:
      effect === 'hold'
        ? { hold: { until: 'released' } }
        : /^\d+$/.test(effect)
          ? { status: Number(effect) }
          : /^\d/.test(effect)
            ? { latency: effect }
            : { wire: effect as 'reset' },
    when: when as 'before',
    ...(times !== '' && { times: Number(times) }),
    ...(lasts !== '' && { for: lasts }),
  }
}

function RuleForm() {
  const change = (name: string) => (event: { currentTarget: HTMLInputElement | HTMLSelectElement }) => {
    draft.value = { ...draft.value, [name]: event.currentTarget.value }
  }
  const { operation, effect, when, times } = draft.value
  const rule = ruleOf(draft.value)
  return (
    <form class="form" onSubmit={(event) => event.preventDefault()}>
      <label>
        Operation
        <select value={operation} onChange={change('operation')}>
          <option value="">every one</option>
          {OPERATIONS.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label>
        Status, latency, wire fault or hold
        <input list="effects" value={effect} onInput={change('effect')} spellcheck={false} />
        <datalist id="effects">
          {EFFECTS.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <label>
        Acts
        <select value={when} onChange={change('when')}>
          <option value="before">before it is carried out</option>
          <option value="after">after it is carried out</option>
        </select>
      </label>
      <label>
        Times
        <input inputMode="numeric" value={times} placeholder="always" onInput={change('times')} />
      </label>
      <label>
        For
        <input
          value={draft.value.for}
          placeholder="no end; 30s, 5m"
          onInput={change('for')}
          spellcheck={false}
        />
      </label>
      <Act place="faults" command={command(...faultWords(rule))} run={() => add(rule)}>
        Add the rule
      </Act>
    </form>
  )
}
