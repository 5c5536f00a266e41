import { answerOf, api } from '../../data/api.ts'
import { command, inWorld, world } from '../../data/location.ts'
import { ruleOpen } from '../../data/panels.ts'
import { point } from '../../data/point.ts'
import type { NewFault } from '../../data/types.ts'
import { addFault, faults, refreshFaults, worldNow } from '../../data/world-state.ts'
import { Act, Refused } from '../../parts/act.tsx'
import { faultWords } from '../../text/commands.ts'
import { distance } from '../../text/time.ts'
import { RuleForm } from './fault-form.tsx'
import { faultText } from './fault-text.ts'
import { Holds } from './holds.tsx'

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

/** The fault rules with how often each acted, and what adds one. */
export function FaultsPanel() {
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
          <Act key={name} place="faults" command={command(...faultWords(rule))} run={() => addFault(rule)}>
            {name}
          </Act>
        ))}
        <button
          type="button"
          class="act"
          aria-expanded={ruleOpen.value}
          onClick={() => {
            ruleOpen.value = !ruleOpen.value
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
      {ruleOpen.value && <RuleForm />}
      <Refused place="faults" />
    </section>
  )
}
