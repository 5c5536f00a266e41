import type { ComponentChildren } from 'preact'
import { ruleWords, untilWords } from '../../../control/call-words.ts'
import { type Action, call } from '../../data/actions.ts'
import { controlExamples, operations, readDocument } from '../../data/document.ts'
import { world } from '../../data/location.ts'
import { faults, holds, worldNow } from '../../data/state.ts'
import type { Fault, NewFault } from '../../data/types.ts'
import { ActionButton } from '../../parts/buttons.tsx'
import { CallForm } from '../../parts/form.tsx'
import { Menu } from '../../parts/menu.tsx'
import { brief, count } from '../../text/text.ts'
import { distance } from '../../text/time.ts'

const isSpent = ({ times, acted }: Fault): boolean => times !== undefined && acted >= times
const activeRules = (): readonly Fault[] => faults.value.filter((rule) => !isSpent(rule))

export function faultsSummary(): string {
  if (holds.value.length > 0) return `${count(holds.value.length, 'request')} held`
  const { length } = activeRules()
  return length === 0 ? 'no rule waits' : length === 1 ? '1 rule waits' : `${length} rules wait`
}

/** The limit of listed rules, and the presets beside the menu. */
const MAX = 30
const PRESETS = 2

/** The form for a rule, the active rules, and the held requests. */
export function FaultsPanel() {
  const rules = activeRules()
  const spent = faults.value.length - rules.length
  const presets = controlExamples('addFault').map(({ summary, value }) => (
    <ActionButton key={summary} class="text" {...call('addFault', { body: value as NewFault })}>
      {summary}
    </ActionButton>
  ))
  return (
    <>
      <div class="choices">
        {presets.slice(0, PRESETS)}
        <Menu label="Rule…" class="text" changes onOpen={() => void readDocument(world.value)}>
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
        {rules.slice(0, MAX).map((rule) => (
          <Waiting
            key={rule.id}
            title={ruleWords(rule)}
            verb="Remove"
            id={rule.id}
            action={call('removeFault', { params: { id: rule.id } })}
          >
            waits, {rule.acted.toLocaleString('en')} of {rule.times?.toLocaleString('en') ?? '∞'}
            {rule.expiresAt && `, ends ${distance(Date.parse(rule.expiresAt), worldNow.value)}`}
          </Waiting>
        ))}
      </ul>
      <ul class="rules" aria-label="Held requests">
        {holds.value.slice(0, MAX).map(({ id, request, operationId, until, since, timeout }) => (
          <Waiting
            key={id}
            title={`${request} ${operationId ?? ''} held until ${untilWords(until)}`}
            verb="Release"
            id={id}
            action={call('releaseHold', { params: { id } })}
          >
            {distance(Date.parse(since), worldNow.value)}, at most {brief(timeout, 20)}
          </Waiting>
        ))}
      </ul>
      <p class="spent quiet small">
        {rules.length === 0 ? 'No rule waits.' : rules.length > MAX ? `${rules.length - MAX} more.` : ''}
        {spent > 0 && ` ${spent} spent.`}
        {faults.value.length > 0 && (
          <ActionButton class="text small clear" label="Clear the rules" {...call('clearFaults')}>
            Clear
          </ActionButton>
        )}
      </p>
    </>
  )
}

interface WaitingProps {
  readonly title: string
  readonly verb: string
  readonly id: string
  readonly action: Action
  readonly children: ComponentChildren
}

/** A rule, or a request that one holds, with the action that ends it. */
const Waiting = ({ title, verb, id, action, children }: WaitingProps) => (
  <li>
    <span>
      <b>{brief(title, 160)}</b>
      <br />
      <span class="quiet">{children}</span>
    </span>
    <ActionButton class="small" label={`${verb} ${id}`} {...action}>
      {verb}
    </ActionButton>
  </li>
)
