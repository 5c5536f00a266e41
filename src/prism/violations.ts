import type { PrismHttpComponents } from '@stoplight/prism-http'
import { nameInt64 } from './int64.ts'

const MESSAGE_PARTS = ['status', 'header', 'body', 'query', 'path'] as const

/** A violation of the contract by a request or a response. */
export interface ContractViolation {
  readonly where: (typeof MESSAGE_PARTS)[number]
  /** The path within that part: `0.id` in a body, the name of a parameter or header field. */
  readonly path?: string
  /** A complete sentence. */
  readonly message: string
}

type PrismResult = ReturnType<PrismHttpComponents['validateOutput' | 'validateInput']>
type Diagnostic = Extract<PrismResult, { left: unknown }>['left'][number]

const ERROR = 0

/**
 * The errors that Prism found, without its warnings: the use of a deprecated parameter violates no contract.
 * `names`: the declared names of parameters and header fields; Prism returns them in lower case.
 */
export const violationsOf = (verdict: PrismResult, names: readonly string[] = []): ContractViolation[] =>
  verdict._tag === 'Left' ? once(verdict.left.filter(isError).map((found) => violationOf(found, names))) : []

const isError = ({ severity }: Diagnostic): boolean => severity === ERROR

/** Two parts of a schema may say the same. */
const once = (violations: readonly ContractViolation[]): ContractViolation[] => [
  ...new Map(violations.map((each) => [each.message, each])).values(),
]

function violationOf({ path = [], code, message }: Diagnostic, names: readonly string[]): ContractViolation {
  const [place, ...steps] = path
  const where = MESSAGE_PARTS.find((known) => known === place) ?? 'body'
  if (where === 'body')
    return { where, ...(steps.length > 0 && { path: steps.join('.') }), message: nameInt64(message) }
  const missing = code === 'required' ? quotedAtEnd(message) : undefined
  const [lower = missing ?? '', ...inner] = steps
  const name = names.find((each) => each.toLowerCase() === lower) ?? lower
  const [whose = ''] = message.split(` ${where} `)
  const demand = missing ? 'is missing' : nameInt64(message.slice(message.indexOf('must ')))
  return { where, path: [name, ...inner].join('.'), message: `${whose} ${where} ${name} ${demand}` }
}

/** The quoted name at the end of a message: `must have required property 'name'`. */
function quotedAtEnd(message: string): string | undefined {
  if (!message.endsWith("'")) return undefined
  return message.slice(message.indexOf("'") + 1, -1) || undefined
}
