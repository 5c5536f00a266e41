import { UsageError } from '../config/usage-error.ts'
import { parseJson } from '../contract/json.ts'

/** A fault rule as the flags of `faults add` have it. */
export interface FaultFlags {
  readonly operation?: string
  readonly method?: string
  readonly path?: string
  readonly key?: string
  readonly status?: string
  readonly retryAfter?: string
  readonly latency?: string
  readonly wire?: string
  readonly when?: string
  readonly times?: string
  readonly probability?: string
  readonly rule?: string
}

/** The rule that is meant, as the control API takes it, which judges it. Throws a UsageError. */
export function faultInput(flags: FaultFlags): unknown {
  const { operation, method, path, key, status, retryAfter, latency, wire, when, times, probability, rule } =
    flags
  const parts = { operation, method, path, key, status, retryAfter, latency, wire, when, times, probability }
  if (rule !== undefined) {
    const beside = Object.entries(parts).find(([, value]) => value !== undefined)
    if (beside)
      throw new UsageError(
        `--rule is the whole rule. Leave out --${dashed(beside[0])}, or write it into the rule`,
      )
    return parsedRule(rule)
  }
  const effects = Object.entries({ status, latency, wire }).filter(([, value]) => value !== undefined)
  if (effects.length !== 1) {
    throw new UsageError(
      'A fault has one effect: give one of --status <status>, --latency <duration> and --wire <fault>',
    )
  }
  if (retryAfter !== undefined && status === undefined)
    throw new UsageError('--retry-after goes with --status')
  return {
    match: given({ operationId: operation, method, path, key }),
    effect: given({
      status: number('--status', status),
      retryAfter: number('--retry-after', retryAfter),
      latency,
      wire,
    }),
    ...given({ when, times: number('--times', times), probability: number('--probability', probability) }),
  }
}

function parsedRule(rule: string): unknown {
  try {
    return parseJson(rule)
  } catch (error) {
    throw new UsageError(`--rule: this is no JSON: ${(error as Error).message}`)
  }
}

function number(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  throw new UsageError(`${flag}: "${text}" is no number`)
}

const given = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

const dashed = (name: string): string => name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)
