import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Side } from '../../src/contract/generated/control.types.d.ts'
import { turn } from '../../src/node/turns.ts'
import { type OpenDetached, repliesOf, stateAt } from '../../src/past/repeat.ts'
import { encodeUtf8 } from '../../src/text/utf8.ts'
import { Timeline } from '../../src/time/timeline.ts'
import type { Command } from '../../src/world/command.ts'
import type { WorldState } from '../../src/world/parts.ts'
import type { Pet } from '../../src/world/pets/pet.ts'
import { rewindTo, undoRewind } from '../../src/world/rewind.ts'
import type { World } from '../../src/world/world.ts'
import { Worlds } from '../../src/world/worlds.ts'
import { command } from '../support/command.ts'
import { exchange } from '../support/exchange.ts'

const REAL = Date.parse('2026-11-19T12:34:56Z')
const pets: Pet[] = [1, 2, 3].map((id) => ({ id, name: `pet ${id}`, categoryId: 1 }))
const start = { pets: { pets, nextId: 4 }, keys: [], seed: 7, now: undefined, frozen: false }

/** A state as comparable values. */
const plain = ({ collections: { pets, empty }, duplicates, ...rest }: WorldState) => ({
  ...rest,
  notes: duplicates.notes.slice(0, duplicates.length).map(({ mark, id }) => [mark, id]),
  pets: [...pets.values()],
  empty: [...empty.values()],
  nextIds: [pets.nextId, empty.nextId],
})

/** The changes of a world that requests and control calls make. */
const CHANGES: readonly ((world: World, step: number) => void)[] = [
  ({ collections }, step) =>
    collections.pets.put({ id: 1 + (step % 5), name: `changed ${step}`, categoryId: 2 }),
  ({ collections: { pets } }) => pets.put({ id: pets.nextId, name: 'new', categoryId: 1, status: 'sold' }),
  ({ collections }, step) => collections.pets.delete(1 + (step % 5)),
  ({ collections: { empty } }) => empty.put({ id: empty.nextId, name: 'other', categoryId: 1 }),
  ({ collections }) => collections.set('pets', { pets: pets.slice(1), nextId: 9 }),
  ({ keys }, step) => keys.replace([{ key: `key_${step}`, plan: 'pro' }]),
  (world) => world.meters.writable('psk_flaky').drawn++,
  (world) => world.resetLimits(),
  ({ faults }) => faults.add({ effect: { status: 503 } }, REAL),
  (world) => world.resetFaults(REAL),
  (world) => void world.chance(),
  (world, step) => world.turnClock(REAL, (clock) => clock.set(REAL + (step % 3) * 1000, REAL)),
  (world, step) =>
    world.duplicates.note(`req_${step}`, REAL, 'psk_free', encodeUtf8(`body ${step % 3}`), undefined),
  (world) => world.resetRequests(),
  (world, step) => {
    world.label.value = `test ${step}`
  },
]

/** Applies a request, or the control call of a change. */
function apply(world: World, sent: Command, change: number): void {
  if (change === CHANGES.length) {
    world.watch.begin(sent, true)
    const own = exchange({ id: world.nextRequestId(), ms: 0 })
    world.end(sent, sent.exchange ?? own)
    return
  }
  world.beginCall(sent)
  CHANGES[change]?.(world, sent.n)
  world.endCall()
}

const openDetached: OpenDetached = (of, state, at) => {
  const world = new Worlds(start, new Map(), at).get(of.name, at)
  world.restore(state)
  return {
    world,
    timeline: new Timeline(at, turn),
    apply: (sent) => {
      sent.call?.again?.(world as never)
      return undefined
    },
  }
}

interface Executed {
  readonly sent: Command
  readonly id: string
  readonly before: ReturnType<typeof plain>
  readonly after: ReturnType<typeof plain>
}

function run(world: World, changes: readonly number[], first = 1): Executed[] {
  return changes.map((change, index) => {
    const before = plain(world.capture())
    const sent = command({ n: first + index, at: REAL })
    sent.asCall().again = (there) => apply(there, sent, change)
    Object.defineProperty(sent, 'request', { value: {} })
    apply(world, sent, change)
    return { sent, id: [...world.past.view()].at(-1)?.id ?? '', before, after: plain(world.capture()) }
  })
}

const changes = (maxLength: number) => fc.array(fc.nat(CHANGES.length), { minLength: 1, maxLength })
const SIDES = ['before', 'after'] as const
const at = (world: World, id: string, side: Side) => stateAt(world, world.past.find(id, side), openDetached)

it('the state at a point is the original one, after any later changes; reading it changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(changes(200), fc.infiniteStream(fc.nat()), async (chosen, draw) => {
      const world = new Worlds(start, new Map(), REAL).get('w', REAL)
      const executed = run(world, chosen)
      const now = plain(world.capture())
      for (let times = 0; times < 6; times++) {
        const each = executed[(draw.next().value ?? 0) % executed.length] as Executed
        for (const side of SIDES) expect(plain(await at(world, each.id, side))).toEqual(each[side])
      }
      expect(plain(world.capture())).toEqual(now)
    }),
    { numRuns: 40 },
  )
})

it('a rewind restores it, can be undone and redone; points keep their names', async () => {
  await fc.assert(
    fc.asyncProperty(
      changes(100),
      changes(100),
      fc.array(fc.tuple(fc.nat(), fc.constantFrom(...SIDES)), { minLength: 1, maxLength: 4 }),
      async (chosen, later, points) => {
        const world = new Worlds(start, new Map(), REAL).get('w', REAL)
        run(world, chosen)
        let n = 1000
        const undone: { state: ReturnType<typeof plain>; view: unknown }[] = []
        for (const [draw, side] of points) {
          const view = [...world.past.view()]
          if (view.length === 0) break
          const id = view[draw % view.length]?.id ?? ''
          const state = await at(world, id, side)
          const point = world.past.find(id, side)
          undone.push({ state: plain(world.capture()), view: [...world.past.view()] })
          n += 1000
          rewindTo(world, point, state, command({ n, at: REAL }))
          expect(plain(world.capture())).toEqual(plain(state))
          expect([...world.past.view()]).toEqual(
            view.slice(0, (draw % view.length) + (side === 'after' ? 1 : 0)),
          )
          const executed = run(world, later, n + 1)
          for (const each of [executed[0], executed.at(-1)] as Executed[])
            expect(plain(await at(world, each.id, 'before'))).toEqual(each.before)
        }
        const last = { state: plain(world.capture()), view: [...world.past.view()] }
        const swap = () => {
          undoRewind(world, world.past.branch(), command({ n: ++n, at: REAL }))
          return { state: plain(world.capture()), view: [...world.past.view()] }
        }
        expect(swap()).toEqual(undone.at(-1))
        expect(swap()).toEqual(last)
        for (const { id, side } of last.view.slice(0, 3).map(({ id }) => ({ id, side: 'after' as const })))
          await at(world, id, side)
      },
    ),
    { numRuns: 40 },
  )
})

it('other work continues while commands are applied again, whatever their number', async () => {
  const world = new Worlds(start, new Map(), REAL).get('w', REAL)
  const state = world.capture()
  const executed = run(world, Array(300).fill(CHANGES.length))
  let [applied, most, pauses] = [0, 0, 0]
  const counting: OpenDetached = (of, from, instant) => {
    const detached = openDetached(of, from, instant)
    const apply = (sent: Command) => {
      most = Math.max(most, ++applied)
      return detached.apply(sent)
    }
    return { ...detached, apply }
  }
  const commands = executed.map(({ sent }) => sent)
  await repliesOf(world, { state, earlier: [], endsIn: () => true, commands }, counting, async () => {
    pauses++
    applied = 0
  })
  expect(pauses).toBe(Math.ceil(300 / 32))
  expect(most).toBe(32)
})

it('no world is opened for a run without commands, or without a state to repeat them from', async () => {
  const world = new Worlds(start, new Map(), REAL).get('w', REAL)
  const commands = run(world, [CHANGES.length]).map(({ sent }) => sent)
  const none = { state: world.capture(), earlier: [], commands: [], endsIn: () => true }
  const open: OpenDetached = () => expect.unreachable('a world was opened')
  for (const each of [none, { ...none, state: undefined, commands }])
    expect(await repliesOf(world, each, open, async () => {})).toEqual(new Map())
})
