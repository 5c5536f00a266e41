import { UsageError } from '../config/usage-error.ts'
import type { FaultInput } from '../contract/generated/control.types.d.ts'
import { parseJson } from '../contract/openapi/json.ts'

/** A fault rule as the flags of `faults add` have it. */
export interface FaultFlags {
  readonly operation?: string
  readonly method?: string
  readonly path?: string
  readonly key?: string
  readonly status?: string
  readonly retryAfter?: string
  readonly code?: string
  readonly message?: string
  readonly latency?: string
  readonly wire?: string
  readonly holdUntilOperation?: string
  readonly holdUntilReleased?: true
  readonly holdTimeout?: string
  readonly when?: string
  readonly times?: string
  readonly probability?: string
  readonly for?: string
  readonly rule?: string
}

/** The rules of the flags, as the control API takes them; the control API validates them. Throws a UsageError. */
export function faultInputs({ rule, ...flags }: FaultFlags): readonly FaultInput[] {
  if (rule === undefined) return [ruleOf(flags)]
  const [beside] = Object.keys(given(flags))
  if (beside !== undefined) {
    throw new UsageError(
      `--rule holds the complete rule, so --${dashed(beside)} cannot be added`,
      'Leave it out, or write it into the rule',
    )
  }
  return [parsedRule(rule)].flat().map(withoutHistory) as FaultInput[]
}

/** A listed rule without the members that the sandbox added: id and counts. */
function withoutHistory(rule: unknown): unknown {
  if (typeof rule !== 'object' || rule === null) return rule
  const { id: _, acted: __, expiresAt: ___, ...input } = rule as Record<string, unknown>
  return input
}

function ruleOf(flags: FaultFlags): FaultInput {
  const { operation, method, path, key, when, times, probability } = flags
  const { status, retryAfter, code, message, latency, wire } = flags
  const hold = holdOf(flags)
  const effects = Object.entries({ status, latency, wire, hold }).filter(([, value]) => value !== undefined)
  if (effects.length !== 1) {
    throw new UsageError(
      'A fault has exactly one effect',
      'Use one of --status <status>, --latency <duration>, --wire <fault>, --hold-until-operation <operationId> and --hold-until-released',
    )
  }
  const alone = (['retryAfter', 'code', 'message'] as const).find((name) => flags[name] !== undefined)
  if (alone && status === undefined) {
    throw new UsageError(
      `--${dashed(alone)} needs --status <status>`,
      `Add it, or leave out --${dashed(alone)}`,
    )
  }
  return {
    match: given({ operationId: operation, method, path, key }),
    effect: given({
      status: number('--status', status),
      retryAfter: number('--retry-after', retryAfter),
      code,
      message,
      latency,
      wire,
      hold,
    }),
    ...given({
      for: flags.for,
      when,
      times: number('--times', times),
      probability: number('--probability', probability),
    }),
  } as FaultInput
}

function holdOf({
  holdUntilOperation: operationId,
  holdUntilReleased,
  holdTimeout: timeout,
}: FaultFlags): object | undefined {
  if (operationId !== undefined && holdUntilReleased) {
    throw new UsageError(
      '--hold-until-operation and --hold-until-released exclude each other',
      'Leave out one of the two',
    )
  }
  if (operationId === undefined && !holdUntilReleased) {
    if (timeout === undefined) return undefined
    throw new UsageError(
      '--hold-timeout needs --hold-until-operation or --hold-until-released',
      'Add one of them',
    )
  }
  return given({ until: operationId === undefined ? 'released' : { operationId }, timeout })
}

function parsedRule(rule: string): unknown {
  try {
    return parseJson(rule)
  } catch (error) {
    throw new UsageError(
      `--rule: this is not JSON: ${(error as Error).message}`,
      `Use one rule such as '{"effect":{"status":503}}', or a list of them`,
    )
  }
}

function number(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  throw new UsageError(`${flag}: "${text}" is not a number`, 'use one such as 5')
}

const given = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

const dashed = (name: string): string => name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)
