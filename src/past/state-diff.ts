import type { KeyLimits, StateDiff } from '../contract/generated/control.types.d.ts'
import { SECOND } from '../time/instant.ts'
import { atOnce } from '../time/slices.ts'
import { banEnd, quota, type Span } from '../world/limits/meter.ts'
import type { Int64, Pet } from '../world/pets/pet.ts'
import type { Policy } from '../world/policy.ts'
import type { World } from '../world/world.ts'
import { pathOfDifference } from './difference.ts'

/** A state to compare with another one. */
export interface ComparedState {
  /** By ascending id. */
  readonly pets: Iterable<Pet>
  readonly nextId: Int64
  /** Undefined for a fixture or a snapshot, which have no limits. */
  readonly limits?: readonly KeyLimits[] | undefined
}

/** The state of a world without instants: how much of its limits is used, but not when they reset. */
export function comparedWorld(world: World, real: number, policy: Policy): ComparedState {
  const now = world.now(real)
  const limits = world.keys.list().map(({ key, plan }): KeyLimits => {
    const meter = world.meters.get(key)
    const window = (span: Span) => {
      const { limit, remaining } = quota(meter, policy.plans[plan], now, span, policy)
      return { limit, remaining }
    }
    const { from, until } = meter.ban
    const ban = now < banEnd(meter, now) ? { seconds: Math.ceil((until - from) / SECOND) } : null
    return { key, plan, minute: window('minute'), day: window('day'), ban }
  })
  const { pets } = world.collections
  return { pets: pets.copy().values(), nextId: pets.nextId, limits }
}

export const diffOf = (a: ComparedState, b: ComparedState): StateDiff => atOnce(diffSteps(a, b))

/** The limit of named differences of each kind. */
const MAX_NAMED = 100

interface Named<T> {
  count: number
  readonly first: T[]
}

/** Compares two states in steps. Both are sorted by id, so each is walked through once. */
export function* diffSteps(a: ComparedState, b: ComparedState): Generator<undefined, StateDiff> {
  const [added, removed] = [none<Pet>(), none<Pet>()]
  const changed = { ...none<Pet>(), was: [] as Pet[] }
  const [lefts, rights] = [a.pets[Symbol.iterator](), b.pets[Symbol.iterator]()]
  let [left, right] = [next(lefts), next(rights)]
  for (let walked = 1; left || right; walked++) {
    if (left && (!right || left.id < right.id)) {
      add(removed, left)
      left = next(lefts)
    } else if (right && (!left || right.id < left.id)) {
      add(added, right)
      right = next(rights)
    } else {
      if (left && right && isOther(left, right)) {
        add(changed, right)
        if (changed.was.length < changed.first.length) changed.was.push(left)
      }
      left = next(lefts)
      right = next(rights)
    }
    if (walked % 1000 === 0) yield
  }
  const limits = a.limits && b.limits && limitsDiff(a.limits, b.limits)
  const pets = { added, removed, changed, nextId: { a: a.nextId, b: b.nextId } }
  // An overlay may change the fields of pets.
  return { ...(pets as unknown as StateDiff), ...(limits && { limits }) }
}

/** The differences in the limits of the keys that both states have. */
function limitsDiff(a: readonly KeyLimits[], b: readonly KeyLimits[]): NonNullable<StateDiff['limits']> {
  const differing = none<{ a: KeyLimits; b: KeyLimits }>()
  const before = new Map(a.map((limits) => [limits.key, limits]))
  for (const limits of b) {
    const was = before.get(limits.key)
    if (was && isOther(was, limits)) add(differing, { a: was, b: limits })
  }
  return differing
}

const none = <T>(): Named<T> => ({ count: 0, first: [] })

function add<T>(named: Named<T>, item: T): void {
  if (named.count++ < MAX_NAMED) named.first.push(item)
}

const next = (pets: Iterator<Pet>): Pet | undefined => pets.next().value

const isOther = (a: unknown, b: unknown): boolean => pathOfDifference(a, b, '$') !== undefined
