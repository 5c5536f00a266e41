import type { FaultInput, FaultMatch } from '../contract/generated/control.types.d.ts'
import type { Contract } from '../contract/openapi/contract.ts'
import { refusalText, schemaErrorsOf } from '../contract/openapi/validators.ts'
import { InvalidMembers } from '../text/advised-error.ts'
import { inThousands } from '../text/in-thousands.ts'
import { shorten } from '../text/shorten.ts'
import { parseDuration } from '../time/duration.ts'
import { DAY, iso, MINUTE } from '../time/instant.ts'
import { ApiError } from '../world/api-error.ts'
import { sizeOfRule } from '../world/faults/fault.ts'
import type { Hold } from '../world/faults/hold.ts'
import { readLatency } from '../world/faults/latency.ts'
import type { World } from '../world/world.ts'
import type { ControlContext } from './context.ts'
import { bareKey, checkOperation, type Known } from './match.ts'
import type { SomeHandlers } from './operation.ts'
import { parsed } from './read-call.ts'
import { jsonReply, NO_CONTENT, noSuch, type StatusReply } from './reply.ts'

export const faults = {
  listFaults: ({ view }) => jsonReply(200, view().world.faults.list()),
  async addFault({ body, deps, world: find, real, changes }) {
    checkRule(body, deps)
    const world = find()
    const { effect } = body
    const input = withBareKeys(body, world, deps)
    world.stateSize.check(() => sizeOfRule(input))
    const rule = world.faults.add(input, world.now(real))
    changes.notify(world, 'faults')
    if ('wire' in effect) await deps.closeReusedConnections()
    return jsonReply(201, rule)
  },
  clearFaults: (context) =>
    remove(context, ({ faults, holds }) => {
      faults.clear()
      holds.releaseWhere(() => true)
    }),
  removeFault: (context) =>
    remove(context, ({ faults, holds }) => {
      const { id } = context.params
      if (!faults.remove(id)) throw noSuch('fault', id)
      holds.releaseWhere(({ rule }) => rule === id)
    }),
  listHolds: ({ world }) => jsonReply(200, world().holds.list.map(viewOf)),
  releaseHold({ world, params: { id } }) {
    const hold = world().holds.release(id)
    if (!hold) throw noSuch('hold', id)
    return jsonReply(200, viewOf(hold))
  },
} satisfies SomeHandlers

/** A rule whose keys have no suffix, which names this world. Throws an ApiError for another suffix. */
function withBareKeys(
  { match, effect, ...rule }: FaultInput,
  world: World | undefined,
  known: Known,
): FaultInput {
  const bare = <Match extends { readonly key?: string }>(each: Match, path = 'effect.hold.until'): Match =>
    each.key === undefined ? each : { ...each, key: bareKey(each.key, world, `${path}.key`, known) }
  const until = 'hold' in effect ? effect.hold.until : 'released'
  return {
    ...(match && { match: bare(match, 'match') }),
    effect:
      'hold' in effect && until !== 'released' ? { hold: { ...effect.hold, until: bare(until) } } : effect,
    ...rule,
  }
}

function remove({ world: find, changes }: ControlContext, act: (world: World) => void): StatusReply<204> {
  const world = find()
  act(world)
  changes.notify(world, 'faults')
  return NO_CONTENT
}

const viewOf = ({ operationId, since, ...hold }: Hold) => ({
  ...hold,
  operationId: operationId ?? null,
  since: iso(since),
})

/** Validates what the schema of a rule cannot express. Throws an ApiError. */
function checkRule(rule: FaultInput, deps: Known): void {
  const { match, effect } = rule
  checkMatch(match, 'match', deps)
  if (rule.for !== undefined) checkDuration('for', rule.for, 365 * DAY, '365d')
  if (!('hold' in effect)) {
    const { latency } = effect
    if (latency !== undefined) parsed('effect.latency', () => readLatency(latency))
    return
  }
  const { until, timeout } = effect.hold
  if (until !== 'released') checkMatch(until, 'effect.hold.until', deps)
  if (timeout !== undefined) checkDuration('effect.hold.timeout', timeout, MINUTE, '60s')
}

function checkMatch({ operationId, body }: FaultMatch = {}, path: string, deps: Known): void {
  checkOperation(operationId, `${path}.operationId`, deps)
  const json = body === undefined ? '' : jsonIfPlain(body)
  if (json === undefined)
    throw new ApiError('invalid_body', `${path}.body must be JSON without integers beyond 9007199254740991`)
  if (json.length > MAX_BODY)
    throw new ApiError('invalid_body', `${path}.body must have at most ${inThousands(MAX_BODY)} characters`)
}

/** The limit of a body to match, as JSON, which is that of the texts of a rule: its words and its command contain it. */
const MAX_BODY = 1000

/** The JSON of a value; undefined if it has a bigint, or is a value of options that JSON does not have. */
function jsonIfPlain(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

function checkDuration(name: string, text: string, most: number, mostText: string): void {
  const duration = parseDuration(text)
  if (duration >= 1 && duration <= most) return
  const advice = duration >= 1 ? `too long; use ${mostText} or less` : 'too short; use 1ms or more'
  throw new ApiError('invalid_body', `${name}: "${shorten(text, 100)}" is ${advice}`)
}

/** Validates the fault rules of options like the body of `POST /faults`. Throws InvalidMembers with all errors. */
export function checkFaults(rules: readonly unknown[], contract: Contract, known: Known): FaultInput[] {
  const validate = contract.operations.get('addFault')?.body?.validate
  if (!validate) throw new Error('The control API has no addFault')
  const wrong = rules.flatMap((rule, index) => {
    const found = schemaErrorsOf(validate, rule).map((each) => ({ ...each, text: refusalText(each) }))
    const others = () => beyondSchema(rule as FaultInput, known).map((text) => ({ path: [], text }))
    return (found.length > 0 ? found : others()).map(({ path, text }) => ({
      path: ['faults', index, ...path],
      text: `faults[${index}]: ${text}`,
    }))
  })
  if (wrong.length > 0) throw new InvalidMembers(wrong)
  return rules as FaultInput[]
}

function beyondSchema(rule: FaultInput, known: Known): string[] {
  try {
    checkRule(rule, known)
    withBareKeys(rule, undefined, known)
    return []
  } catch (error) {
    if (error instanceof ApiError) return [error.message]
    throw error
  }
}
