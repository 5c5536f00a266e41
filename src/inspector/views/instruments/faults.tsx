import { useSignal } from '@preact/signals'
import { addFault } from '../../data/acts.ts'
import { answerOf, api } from '../../data/api.ts'
import { operations, readDocument } from '../../data/document.ts'
import { command, inWorld, point, world } from '../../data/location.ts'
import { faults, holds, worldNow } from '../../data/state.ts'
import type { Fault, HoldUntil, NewFault } from '../../data/types.ts'
import { Act, Refused } from '../../parts/act.tsx'
import { Menu } from '../../parts/menu.tsx'
import { faultWords } from '../../text/commands.ts'
import { brief, typedNumber } from '../../text/text.ts'
import { distance } from '../../text/time.ts'

/** One press each. */
const PRESETS: readonly (readonly [name: string, rule: NewFault])[] = [
  [
    'createPet: stored, answer lost',
    { match: { operationId: 'createPet' }, effect: { wire: 'truncate' }, when: 'after', times: 1 },
  ],
  ['503 twice', { effect: { status: 503 }, when: 'before', times: 2 }],
]
const MORE: readonly (readonly [name: string, rule: NewFault])[] = [
  ['2 s late', { effect: { latency: '2s' }, when: 'before', times: 1 }],
  ['429 once', { effect: { status: 429, retryAfter: 5 }, when: 'before', times: 1 }],
  ['Reset the connection', { effect: { wire: 'reset' }, when: 'before', times: 1 }],
  ['Hold until released', { effect: { hold: { until: 'released' } }, when: 'before', times: 1 }],
]

const isSpent = ({ times, acted }: Fault): boolean => times !== undefined && acted >= times
const waiting = (): readonly Fault[] => faults.value.filter((rule) => !isSpent(rule))

export function faultsSummary(): string {
  const { length } = waiting()
  return length === 0 ? 'no rule waits' : length === 1 ? '1 rule waits' : `${length} rules wait`
}

const MOST = 30

/** What adds a rule, the rules that wait, and the requests that are held. */
export function FaultsPanel() {
  const rules = waiting()
  const spent = faults.value.length - rules.length
  const add = ([name, rule]: (typeof PRESETS)[number]) => (
    <Act
      key={name}
      class="text"
      place="faults"
      command={command(...faultWords(rule))}
      run={() => addFault(rule)}
    >
      {name}
    </Act>
  )
  return (
    <>
      <div class="choices">
        {PRESETS.map(add)}
        <Menu
          label="Rule…"
          class="text"
          disabled={point.value !== undefined}
          onOpen={() => void readDocument(world.value)}
        >
          <div class="choices" data-done>
            {MORE.map(add)}
          </div>
          <RuleForm />
        </Menu>
      </div>
      <ul class="rules" aria-label="Rules that wait">
        {rules.slice(0, MOST).map((rule) => (
          <li key={rule.id}>
            <span>
              <b>{faultText(rule)}</b>
              <br />
              <span class="quiet">
                waits, {rule.acted} of {rule.times ?? '∞'}
                {rule.expiresAt && `, ends ${distance(Date.parse(rule.expiresAt), worldNow.value)}`}
              </span>
            </span>
            <Act
              place="faults"
              class="text small"
              label={`Remove ${rule.id}`}
              command={command('faults', 'remove', rule.id)}
              run={() => removeFault(rule.id)}
            >
              Remove
            </Act>
          </li>
        ))}
      </ul>
      <Holds />
      <p class="spent quiet small">
        {rules.length === 0 ? 'No rule waits.' : rules.length > MOST ? `${rules.length - MOST} more.` : ''}
        {spent > 0 && ` ${spent} spent.`}
        {faults.value.length > 0 && (
          <Act
            place="faults"
            class="text small clear"
            label="Clear the rules"
            command={command('faults', 'clear')}
            run={() => answerOf(api.DELETE('/faults', inWorld()))}
          >
            Clear
          </Act>
        )}
      </p>
      <Refused place="faults" />
    </>
  )
}

const removeFault = (id: string) =>
  answerOf(api.DELETE('/faults/{id}', { params: { path: { id }, query: { namespace: world.value } } }))

/** Requests that wait for their answer, each with the button that lets it go on. */
const Holds = () =>
  holds.value.length === 0 ? null : (
    <ul class="rules" aria-label="Held requests">
      {holds.value.slice(0, MOST).map(({ id, request, operationId, until, since, timeout }) => (
        <li key={id}>
          <span>
            <b>
              {brief(`${request} ${operationId ?? ''}`, 80)} {holdText(until)}
            </b>
            <br />
            <span class="quiet">
              {distance(Date.parse(since), worldNow.value)}, at most {brief(timeout, 20)}
            </span>
          </span>
          <Act
            place="faults"
            class="small"
            label={`Release ${id}`}
            command={command('holds', 'release', id)}
            run={() =>
              answerOf(
                api.POST('/holds/{id}/release', {
                  params: { path: { id }, query: { namespace: world.value } },
                }),
              )
            }
          >
            Release
          </Act>
        </li>
      ))}
    </ul>
  )

/** A fault rule in one line. */
export function faultText({ match = {}, effect, when }: NewFault | Fault): string {
  const subject = match.operationId ?? [match.method, match.path].filter(Boolean).join(' ')
  const what =
    'hold' in effect ? holdText(effect.hold.until) : 'wire' in effect ? effect.wire : Object.values(effect)[0]
  return `${brief(subject || 'every request', 60)}${match.key ? ` of ${brief(match.key, 40)}` : ''} → ${what}${when === 'after' ? ', carried out' : ''}`
}

const holdText = (until: HoldUntil): string =>
  until === 'released'
    ? 'held until released'
    : `held until ${brief(Object.values(until).join(' ') || 'any request', 60)}`

const EFFECTS = '500 503 429 401 200ms 2s reset empty truncate garbage hang hold'.split(' ')
const FIRST = { operation: '', effect: '503', when: 'before', times: '1', for: '' }

function ruleOf({ operation, effect, when, times, for: lasts }: typeof FIRST): NewFault {
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
    ...(times !== '' && { times: typedNumber(times) as number }),
    ...(lasts !== '' && { for: lasts }),
  }
}

/** A fault rule, member by member. */
function RuleForm() {
  const draft = useSignal(FIRST)
  const change = (name: string) => (event: { currentTarget: HTMLInputElement | HTMLSelectElement }) => {
    draft.value = { ...draft.value, [name]: event.currentTarget.value }
  }
  const { operation, effect, when, times, for: lasts } = draft.value
  const rule = ruleOf(draft.value)
  return (
    <form class="form">
      <label>
        Operation
        <select value={operation} onChange={change('operation')}>
          <option value="">every one</option>
          {operations.value.map(({ operationId }) => (
            <option key={operationId}>{operationId}</option>
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
        <input value={lasts} placeholder="no end; 30s, 5m" onInput={change('for')} spellcheck={false} />
      </label>
      <Act type="submit" place="faults" command={command(...faultWords(rule))} run={() => addFault(rule)}>
        Add the rule
      </Act>
    </form>
  )
}
