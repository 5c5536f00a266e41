import type { RequestMatch, StatusChoice } from '../contract/generated/control.types.d.ts'
import { isObject, jsonOf, stringifyJson } from '../contract/openapi/json.ts'
import { choiceText } from '../contract/openapi/validators.ts'
import { rememberLast } from '../text/remember-last.ts'
import { shorten } from '../text/shorten.ts'
import { isOfStatus } from '../text/status-word.ts'
import { ApiError } from '../world/api-error.ts'
import { isSubset, matchesPath } from '../world/faults/fault.ts'
import { NAMESPACE_FORM, splitToken } from '../world/keys/bearer-token.ts'
import { maskKey } from '../world/keys/secrets.ts'
import type { Exchange, Message } from '../world/traffic/exchange.ts'
import type { FindingKind } from '../world/traffic/findings.ts'
import type { World } from '../world/world.ts'
import type { ControlDeps } from './context.ts'

export type Known = Pick<ControlDeps, 'knownOperations' | 'service'>

/** A key and the namespace that it names. The keys of the service of a proxy name none. */
export const keyParts = (key: string, { service }: Known): ReturnType<typeof splitToken> =>
  service === undefined ? splitToken(key) : { key, namespace: undefined }

/**
 * A key without the suffix that names this world; without a world, rules of the options act in each. Throws an ApiError for
 * another suffix, which no key of this world has. `path`: the parameter or member that has the key.
 */
export function bareKey(
  key: string,
  world: Pick<World, 'name'> | undefined,
  path: string,
  known: Known,
): string {
  const { key: bare, namespace } = keyParts(key, known)
  if (namespace === undefined) return bare
  const named = shorten(namespace)
  if (!NAMESPACE_FORM.test(namespace))
    throw refusalAt(
      path,
      `has no valid suffix; use 1 to 64 of A-Z a-z 0-9 _ - after the dot, or leave out .${named}`,
    )
  if (namespace === world?.name) return bare
  const here = world ? `this call acts on ${world.name}` : 'this rule acts in every namespace'
  const fix = world ? `, or use the namespace ${named}` : ''
  throw refusalAt(path, `names the namespace ${named}, but ${here}; leave out .${named}${fix}`)
}

/** Throws an ApiError if the operation does not exist. `path`: the parameter or member that names it. */
export function checkOperation(id: string | undefined, path: string, { knownOperations }: Known): void {
  if (id === undefined || knownOperations.includes(id)) return
  throw refusalAt(path, choiceText(knownOperations, id))
}

const refusalAt = (path: string, text: string): ApiError =>
  new ApiError(path.includes('.') ? 'invalid_body' : 'invalid_parameter', `${path} ${text}`)

/** The validated match of a call, its key without a suffix. Throws an ApiError. */
export function requestMatch(sent: RequestMatch, world: World, deps: Known): RequestMatch {
  checkOperation(sent.operationId, 'match.operationId', deps)
  return sent.key === undefined ? sent : { ...sent, key: bareKey(sent.key, world, 'match.key', deps) }
}

/** `unknown`: the body was cut, and everything else matches. */
export type MatchOutcome = 'match' | 'differs' | 'unknown'

/** Compares exchanges with a match. One call compares up to a thousand. */
export class Matcher {
  readonly match: RequestMatch
  readonly #agrees: readonly ((exchange: Exchange) => boolean)[]

  constructor(match: RequestMatch) {
    const { body: _body, ...members } = match
    this.match = match
    this.#agrees = (Object.keys(members) as (keyof typeof members)[]).map((name) => {
      const wanted = members[name] as never
      return (exchange) => AGREES[name](exchange, wanted)
    })
  }

  outcomeOf(exchange: Exchange): MatchOutcome {
    const { body } = this.match
    if (!this.#agrees.every((agrees) => agrees(exchange))) return 'differs'
    if (body === undefined || bodyShare(exchange, body) === 1) return 'match'
    const { truncated, undecodable } = exchange.request
    // A body that is not UTF-8 is not JSON, so it differs even if it was cut.
    return truncated && !undecodable ? 'unknown' : 'differs'
  }

  /** The number of members that match; a body that matches in part counts as a fraction. */
  agreement(exchange: Exchange): number {
    const { body } = this.match
    let agreed = body === undefined ? 0 : bodyShare(exchange, body)
    for (const agrees of this.#agrees) if (agrees(exchange)) agreed++
    return agreed
  }
}

type Agrees = { [Name in Exclude<keyof RequestMatch, 'body'>]-?: (of: Exchange, wanted: never) => boolean }

const AGREES: Agrees = {
  operationId: ({ operationId }, wanted: string) => operationId === wanted,
  method: ({ method }, wanted: string) => method === wanted.toUpperCase(),
  path: ({ path }, wanted: string) => matchesPath(wanted, path),
  query: ({ query }, wanted: string) => query === wanted.replace(/^\?/, ''),
  status: ({ status }, wanted: StatusChoice) => isOfStatus(status, wanted),
  key: ({ key }, wanted: string) => key === wanted,
  plan: ({ plan }, wanted: string) => plan === wanted,
  decision: ({ decision }, wanted: string) => decision === wanted,
  finding: ({ findings }, wanted: FindingKind) => findings.some(({ kind }) => kind === wanted),
  test: ({ test }, wanted: string) => test === wanted,
}

/** The share of the wanted body that the request contains, from 0 to 1. */
function bodyShare(exchange: Exchange, wanted: unknown): number {
  const sent = parsedBody(exchange.request)
  if (sent === undefined) return exchange.request.body === wanted ? 1 : 0
  if (!isObject(wanted) || !isObject(sent)) return isSubset(wanted, sent) ? 1 : 0
  const names = Object.keys(wanted)
  const agreeing = names.filter((name) => Object.hasOwn(sent, name) && isSubset(wanted[name], sent[name]))
  return names.length === 0 ? 1 : agreeing.length / names.length
}

/**
 * The JSON value of a message body; undefined if it is not JSON. The last one is remembered: all waiting calls compare a
 * new exchange at the same time.
 */
const parsedBody = rememberLast(({ body }: Message): unknown => jsonOf(body))

/** `with operationId createPet, status 201, body {"name":"Kit"}`; keys masked. */
export function matchInWords(match: RequestMatch): string {
  const members = Object.entries(match).map(([name, value]) => {
    if (name === 'key') return `key ${maskKey(String(value))}`
    return `${name} ${shorten(name === 'body' ? stringifyJson(value) : String(value), 200)}`
  })
  return members.length > 0 ? `with ${members.join(', ')}` : 'of any kind'
}
