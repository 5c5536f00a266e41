import type { RequestMatch } from '../contract/generated/control.types.d.ts'
import type { Exchange } from '../domain/traffic/exchange.ts'
import { matchesPath } from '../domain/traffic/fault.ts'
import { parseJson } from '../openapi/json.ts'

export interface MatchResult {
  /** `unknown`: its body was cut, and everything else agrees. */
  readonly outcome: 'match' | 'differs' | 'unknown'
  /** How many members agree; a body that agrees in part counts in part. */
  readonly agreed: number
}

export function agreement(exchange: Exchange, match: RequestMatch): MatchResult {
  const { body, ...members } = match
  const names = Object.keys(members) as (keyof typeof members)[]
  const agreed = names.filter((name) => AGREES[name](exchange, members[name] as never)).length
  const share = body === undefined ? 1 : bodyShare(exchange, body)
  const isUnknown = share < 1 && exchange.request.truncated === true
  const rest = agreed === names.length
  if (rest && isUnknown) return { outcome: 'unknown', agreed: agreed + share }
  return { outcome: rest && share === 1 ? 'match' : 'differs', agreed: agreed + share }
}

type Agrees = {
  [Name in Exclude<keyof RequestMatch, 'body'>]-?: (exchange: Exchange, wanted: never) => boolean
}

const AGREES: Agrees = {
  operationId: ({ operationId }, wanted: string) => operationId === wanted,
  method: ({ method }, wanted: string) => method === wanted.toUpperCase(),
  path: ({ path }, wanted: string) => matchesPath(wanted, path),
  query: ({ query }, wanted: string) => query === wanted.replace(/^\?/, ''),
  status: ({ status }, wanted: number) => status === wanted,
  key: ({ key }, wanted: string) => key === wanted,
  plan: ({ plan }, wanted: string) => plan === wanted,
  decision: ({ decision }, wanted: string) => decision === wanted,
}

/** How much of the wanted body is in the request's, from 0 to 1. */
function bodyShare({ request }: Exchange, wanted: unknown): number {
  let sent: unknown
  try {
    sent = parseJson(request.body)
  } catch {
    return request.body === wanted ? 1 : 0
  }
  if (!isObject(wanted) || !isObject(sent)) return isSubset(wanted, sent) ? 1 : 0
  const names = Object.keys(wanted)
  const agreeing = names.filter((name) => Object.hasOwn(sent, name) && isSubset(wanted[name], sent[name]))
  return names.length === 0 ? 1 : agreeing.length / names.length
}

/** Of an object only the members that are wanted count, at every depth; an array must agree item by item. */
function isSubset(wanted: unknown, found: unknown): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(found) || found.length !== wanted.length) return false
    return wanted.every((item, index) => isSubset(item, found[index]))
  }
  if (!isObject(wanted)) return wanted === found
  if (!isObject(found)) return false
  return Object.keys(wanted).every(
    (name) => Object.hasOwn(found, name) && isSubset(wanted[name], found[name]),
  )
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
