import { UsageError } from '../config/usage-error.ts'
import type { FaultInput } from '../contract/generated/control.types.d.ts'
import { jsonValue } from './values.ts'

/** The path in a rule of each option of `faults add`. */
const PLACES = {
  operation: 'match.operationId',
  method: 'match.method',
  path: 'match.path',
  key: 'match.key',
  status: 'effect.status',
  retryAfter: 'effect.retryAfter',
  code: 'effect.code',
  message: 'effect.message',
  latency: 'effect.latency',
  wire: 'effect.wire',
  holdUntilOperation: 'effect.hold.until.operationId',
  holdUntilReleased: 'effect.hold.until',
  holdTimeout: 'effect.hold.timeout',
  when: 'when',
  times: 'times',
  for: 'for',
  probability: 'probability',
} as const

type Name = keyof typeof PLACES

const NAMES = Object.keys(PLACES) as Name[]
const NUMBERS: readonly Name[] = ['status', 'retryAfter', 'times', 'probability']

/** The options of `faults add`, which describe a rule. */
export type FaultFlags = { readonly [N in Name | 'rule']?: string | true | undefined }

/** The rules that the options describe; the control API validates them. Throws a UsageError. */
export function faultInputs(flags: FaultFlags): readonly FaultInput[] {
  const given = NAMES.filter((name) => flags[name] !== undefined)
  if (flags.rule === undefined) return [ruleOf(flags, given)]
  if (given[0] !== undefined) {
    throw new UsageError(
      `--rule holds the complete rule, so --${dashed(given[0])} cannot be added`,
      'Leave it out, or write it into the rule',
    )
  }
  return [jsonValue('--rule', String(flags.rule), USE_RULE)].flat().map(withoutHistory) as FaultInput[]
}

/** A listed rule without the id and the counts that the sandbox added. */
function withoutHistory(rule: unknown): unknown {
  if (typeof rule !== 'object' || rule === null) return rule
  const { id: _, acted: __, expiresAt: ___, ...input } = rule as Record<string, unknown>
  return input
}

function ruleOf(flags: FaultFlags, given: readonly Name[]): FaultInput {
  const rule = { match: {}, effect: {} }
  for (const name of given) {
    const path = PLACES[name].split('.')
    const last = path.pop() as string
    const holder = path.reduce<Record<string, unknown>>((at, member) => {
      at[member] ??= {}
      return at[member] as Record<string, unknown>
    }, rule)
    holder[last] = memberOf(name, flags[name])
  }
  return rule as FaultInput
}

function memberOf(name: Name, text: string | true | undefined): unknown {
  if (text === true) return 'released'
  if (!NUMBERS.includes(name)) return text
  if (text?.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  throw new UsageError(`--${dashed(name)}: "${text}" is not a number`, 'use one such as 5')
}

const USE_RULE = `Use one rule such as '{"effect":{"status":503}}', or a list of rules`

const dashed = (name: string): string => name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)
