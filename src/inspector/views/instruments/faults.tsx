import { ruleWords, untilWords } from '../../../control/call-words.ts'
import { plural } from '../../../text/plural.ts'
import { type Action, call } from '../../data/actions.ts'
import { controlExamples, operations } from '../../data/document.ts'
import { faults, holds, UNREAD, worldNow } from '../../data/state.ts'
import type { Fault, NewFault } from '../../data/types.ts'
import { ActionButton, Menu } from '../../parts/buttons.tsx'
import { CallForm } from '../../parts/form.tsx'
import { amount, brief, distance, isPast, sentence, timeOfDay } from '../../text/text.ts'

const isSpent = ({ times, acted, expiresAt }: Fault): boolean =>
  (times !== undefined && acted >= times) || isPast(expiresAt, worldNow.value)
const activeRules = (): readonly Fault[] => faults.value.filter((rule) => !isSpent(rule))
const noRules = (): string => (faults.value === UNREAD ? 'reading the rules' : 'no rule waits')

export function FaultsSummary() {
  const { length } = activeRules()
  const rules = length === 0 ? noRules() : length === 1 ? '1 rule waits' : `${length} rules wait`
  const held = holds.value.length
  return <span class="quiet">{held > 0 ? `${plural(held, 'request')} held` : rules}</span>
}

/** The limits of listed rules, and of presets beside the menu. */
const MAX = 30
const PRESETS = 2

/** The form for a rule, the active rules, and the held requests. */
export function FaultsPanel() {
  const now = worldNow.value
  const rules = activeRules()
  const more = rules.length > MAX && `${rules.length - MAX} more.`
  const spent = faults.value.length - rules.length
  const presets = controlExamples('addFault').map(({ summary, value }) => (
    <ActionButton
      key={summary}
      class="text"
      text={summary}
      {...call('addFault', { body: value as NewFault })}
    />
  ))
  return (
    <>
      <div class="choices">
        {presets.slice(0, PRESETS)}
        <Menu text="Rule…" class="text" changes>
          <div class="choices" data-done>
            {presets.slice(PRESETS)}
          </div>
          <CallForm
            id="addFault"
            class="form two"
            submit="Add the rule"
            first={{ 'effect.status': '503', times: '1' }}
            choices={{ 'match.operationId': operations.value.flatMap((each) => each.operationId ?? []) }}
          />
        </Menu>
      </div>
      <ul class="rules" aria-label="Rules that wait">
        {rules.slice(0, MAX).map((rule) => {
          const { id, acted, times, expiresAt } = rule
          const ends = expiresAt ? `, ends ${distance(Date.parse(expiresAt), now)}` : ''
          const note = `waits, ${amount(acted)} of ${times?.toLocaleString('en') ?? '∞'}${ends}`
          return waiting('Remove', id, call('removeFault', { params: { id } }), ruleWords(rule), note)
        })}
      </ul>
      <ul class="rules" aria-label="Held requests">
        {holds.value.slice(0, MAX).map(({ id, request, operationId, until, since, timeout }) => {
          const title = `${request} ${operationId ?? ''} held until ${untilWords(until)}`
          const note = `since ${timeOfDay(since, 0)}, at most ${timeout}`
          return waiting('Release', id, call('releaseHold', { params: { id } }), title, note)
        })}
      </ul>
      <p class="spent quiet small">
        {rules.length === 0 ? `${sentence(noRules())}.` : more}
        {spent > 0 && ` ${spent} spent.`}
        {faults.value.length > 0 && (
          <ActionButton
            class="text small clear"
            text="Clear"
            aria-label="Clear rules"
            {...call('clearFaults')}
          />
        )}
      </p>
    </>
  )
}

/** A rule that waits, or a held request, with the action that ends it. */
const waiting = (verb: string, id: string, action: Action, title: string, note: string) => (
  <li key={id}>
    <span>
      <b>{brief(title, 160)}</b>
      <br />
      <span class="quiet">{brief(note, 80)}</span>
    </span>
    <ActionButton class="small" text={verb} aria-label={`${verb} ${id}`} {...action} />
  </li>
)
