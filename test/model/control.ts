import { iso, wait } from './clock.ts'
import type { Fault } from './faults.ts'
import { type PlanName, planOf } from './keys.ts'
import { type Pet, petText } from './pets.ts'
import type { World, Worlds } from './world.ts'

/** The control calls of a sequence. */
export type ControlStep = { readonly namespace: string } & (
  | { readonly do: 'advance'; readonly by: number }
  | { readonly do: 'set clock'; readonly to: number }
  | { readonly do: 'reset'; readonly parts: readonly string[] }
  | {
      readonly do: 'seed'
      readonly pets: readonly (readonly [string, number, string?])[]
      readonly mode: 'replace' | 'append'
    }
  | { readonly do: 'export' }
  | { readonly do: 'limits' | 'refill' | 'lift ban' | 'revoke'; readonly key: string }
  | { readonly do: 'ban'; readonly key: string; readonly seconds: number }
  | {
      readonly do: 'issue'
      readonly key: string
      readonly plan: PlanName
      readonly expiresAt: number | undefined
    }
  | { readonly do: 'add fault'; readonly fault: Fault }
  | { readonly do: 'clear faults' | 'faults' | 'report' }
  | { readonly do: 'save' | 'restore'; readonly snapshot: string }
  | { readonly do: 'history' | 'undo' }
  /** Rewinds to the point that is `back` points before the last one, modulo their number. */
  | { readonly do: 'rewind'; readonly back: number; readonly side: 'before' | 'after' }
)

const UNRECORDED = ['export', 'limits', 'faults', 'report', 'save', 'history', 'rewind', 'undo']

/** Whether a call that succeeds is a point of history. */
export const isChange = (step: ControlStep): boolean => !UNRECORDED.includes(step.do)

/** The index of the point to which a rewind goes. */
const indexOf = (points: readonly unknown[], back: number): number =>
  points.length - 1 - (back % Math.max(1, points.length))

export interface Call {
  readonly method: string
  readonly target: string
  readonly body?: unknown
}

/** The request of a step. */
export function callOf(step: ControlStep, { history }: World): Call {
  const to = (method: string, path: string, body?: unknown): Call => ({
    method,
    target: `/_sandbox/${path}?namespace=${step.namespace}`,
    ...(body !== undefined && { body }),
  })
  switch (step.do) {
    case 'advance':
      return to('POST', 'clock', { advance: `${step.by}ms` })
    case 'set clock':
      return to('POST', 'clock', { set: iso(step.to) })
    case 'reset':
      return to('POST', 'reset', { only: step.parts })
    case 'seed':
      return to('POST', 'seed', { mode: step.mode, pets: step.pets.map(petOf) })
    case 'export':
      return to('GET', 'export')
    case 'limits':
      return to('GET', `keys/${step.key}/limits`)
    case 'refill':
      return to('DELETE', `keys/${step.key}/limits`)
    case 'ban':
      return to('PUT', `keys/${step.key}/ban`, { seconds: step.seconds })
    case 'lift ban':
      return to('DELETE', `keys/${step.key}/ban`)
    case 'issue':
      return to('POST', 'keys', {
        key: step.key,
        plan: step.plan,
        ...(step.expiresAt !== undefined && { expiresAt: iso(step.expiresAt) }),
      })
    case 'revoke':
      return to('DELETE', `keys/${step.key}`)
    case 'add fault':
      return to('POST', 'faults', step.fault)
    case 'clear faults':
      return to('DELETE', 'faults')
    case 'faults':
      return to('GET', 'faults')
    case 'report':
      return to('GET', 'report')
    case 'history':
      return to('GET', 'history')
    case 'undo':
      return to('POST', 'rewind', { undo: true })
    case 'rewind':
      return to('POST', 'rewind', {
        to: history.points[indexOf(history.points, step.back)]?.id ?? 'req_999999',
        side: step.side,
      })
    case 'save':
      return to('PUT', `snapshots/${step.snapshot}`)
    case 'restore':
      return to('POST', `snapshots/${step.snapshot}/restore`)
  }
}

const petOf = ([name, categoryId, status]: readonly [string, number, string?]) => ({
  name,
  categoryId,
  ...(status && { status }),
})

/** The possible statuses, and the expected body (`shows` selects the compared part). */
export interface Effect {
  readonly status: readonly number[]
  readonly shows?: (body: string) => unknown
  readonly expected?: unknown
}

const DONE: Effect = { status: [200, 201, 204] }

/** Applies a step to the model. */
export function control(worlds: Worlds, step: ControlStep): Effect {
  const world = worlds.at(step.namespace)
  switch (step.do) {
    case 'advance':
      world.turn(world.now + step.by)
      return clockIs(world)
    case 'set clock':
      world.turn(step.to)
      return clockIs(world)
    case 'reset':
      world.reset(step.parts)
      return DONE
    case 'seed':
      return seed(world, step)
    case 'export':
      return exported(world)
    case 'add fault':
      world.faults.add(step.fault)
      return DONE
    case 'clear faults':
      world.faults.clear()
      return DONE
    case 'faults':
      return {
        status: [200],
        shows: (body) => JSON.parse(body).map(({ acted }: { acted: number }) => acted),
        expected: world.faults.acted(),
      }
    case 'report':
      return reported(world, worlds.changesPets)
    case 'history':
      return listed(world)
    case 'undo':
      return world.history.undo(world) ? rewound(world) : { status: [404] }
    case 'rewind':
      return rewind(world, step)
    case 'save':
      world.saveSnapshot(step.snapshot)
      return DONE
    case 'restore':
      return world.restoreSnapshot(step.snapshot) ? DONE : { status: [404] }
    default:
      return ofKey(worlds, world, step)
  }
}

/** Whether a text for a control call is not empty and does not contain the issued key. */
const isWords = (text: string): boolean => text !== '' && !/\bmine\b/.test(text)

/** The list of points, oldest first. An id that the model does not know is taken from the response. */
const listed = ({ history }: World): Effect => ({
  status: [200],
  shows: (body) =>
    JSON.parse(body).map(({ id, at, what }: { id: string; at: string; what: string }, index: number) => {
      const point = history.points[index]
      if (point) point.id ??= id
      return [id === point?.id, at, point?.what === undefined ? isWords(what) : what]
    }),
  expected: history.points.map(({ at, what }) => [true, iso(at), what ?? true]),
})

function rewind(world: World, { back, side }: ControlStep & { do: 'rewind' }): Effect {
  const { history } = world
  const index = indexOf(history.points, back)
  if (history.points[index]?.id === undefined) return { status: [404] }
  history.rewind(world, index, side)
  return rewound(world)
}

const rewound = (world: World): Effect => ({
  status: [200],
  shows: (body) => {
    const { now, pets } = JSON.parse(body)
    return { now, pets }
  },
  expected: { now: iso(world.now), pets: world.pets.pets.length },
})

const clockIs = (world: World): Effect => ({
  status: [200],
  shows: (body) => JSON.parse(body),
  expected: { now: iso(world.now), frozen: true },
})

function seed(world: World, { pets, mode }: ControlStep & { do: 'seed' }): Effect {
  const seeded = pets.map(
    ([name, categoryId, status]): Omit<Pet, 'id'> => ({
      name,
      categoryId: BigInt(categoryId),
      ...(status && { status }),
    }),
  )
  if (mode === 'replace') world.pets.replace([])
  world.append(seeded)
  return { status: [200], shows: (body) => JSON.parse(body), expected: { pets: world.pets.pets.length } }
}

const exported = ({ pets }: World): Effect => ({
  status: [200],
  // Compared as text, so that integers keep every digit.
  shows: (body) => body.replace(/,"keys":.*$/s, '').replace(/\s/g, ''),
  expected: `{"pets":[${pets.pets.map(petText).join(',')}],"nextId":${pets.nextId}`.replace(/\s/g, ''),
})

/** The part of the report that the model can predict. */
function reported({ report }: World, changesPets: boolean): Effect {
  const expected = report.expected(changesPets)
  const shows = (body: string) => {
    const { earlyRetries, ignoredInputs, ...rest } = JSON.parse(body)
    // GET /store/orders is not described; the interface leaves open whether it is covered.
    delete rest.coverage.listOrders
    const shown = { ...rest, earlyRetries: earlyRetries.count, ignoredInputs: ignoredInputs.count }
    return Object.fromEntries(Object.keys(expected).map((name) => [name, shown[name]]))
  }
  return { status: [200], shows, expected }
}

function ofKey(worlds: Worlds, world: World, step: Extract<ControlStep, { key: string }>): Effect {
  if (step.do === 'issue') {
    if (world.keys.knows(step.key)) return { status: [409] }
    world.keys.issue(step.key, {
      plan: step.plan,
      ...(step.expiresAt !== undefined && { expiresAt: step.expiresAt }),
    })
    return { status: [201] }
  }
  if (step.do === 'revoke') {
    if (!world.keys.knows(step.key)) return { status: [404] }
    world.keys.revoke(step.key)
    return { status: [200, 204] }
  }
  const plan = world.keys.find(step.key, world.now)
  if (!world.keys.knows(step.key)) return { status: [404] }
  const account = world.account(step.key)
  if (step.do === 'refill') account.refill()
  if (step.do === 'refill' || step.do === 'lift ban') world.report.forgetRetries(step.key)
  if (step.do === 'ban') account.putBan(step.seconds, world.now)
  if (step.do === 'lift ban') account.liftBan(world.now)
  if (step.do !== 'limits' || !plan) return DONE
  const [minute, day] = account.windows(planOf(plan, worlds.decisions), world.now)
  const until = account.banEnd(world.now)
  const shown = ({ limit, remaining, reset }: typeof minute) => ({ limit, remaining, resetsAt: iso(reset) })
  return {
    status: [200],
    shows: (body) => JSON.parse(body),
    expected: {
      plan,
      minute: shown(minute),
      day: shown(day),
      ban: until === undefined ? null : { until: iso(until), seconds: wait(until, world.now) },
    },
  }
}
