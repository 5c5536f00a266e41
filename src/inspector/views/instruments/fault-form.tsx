import { signal } from '@preact/signals'
import { operations } from '../../data/contract.ts'
import { command } from '../../data/location.ts'
import type { NewFault } from '../../data/types.ts'
import { addFault } from '../../data/world-state.ts'
import { Act } from '../../parts/act.tsx'
import { faultWords } from '../../text/commands.ts'
import { typedNumber } from '../../text/text.ts'

const draft = signal({ operation: '', effect: '503', when: 'before', times: '1', for: '' })
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
    ...(times !== '' && { times: typedNumber(times) as number }),
    ...(lasts !== '' && { for: lasts }),
  }
}

/** A fault rule, member by member. */
export function RuleForm() {
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
          {operations.value.map((name) => (
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
      <Act place="faults" command={command(...faultWords(rule))} run={() => addFault(rule)}>
        Add the rule
      </Act>
    </form>
  )
}
