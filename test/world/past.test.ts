import { describe, expect, it } from 'vitest'
import { KEPT_BYTES } from '../../src/world/budget.ts'
import { rewindTo, undoRewind } from '../../src/world/rewind.ts'
import { JOURNAL_LENGTH } from '../../src/world/traffic/journal.ts'
import { requestWith } from '../../src/world/traffic/message.ts'
import type { World } from '../../src/world/world.ts'
import { Worlds } from '../../src/world/worlds.ts'
import { answered, command } from '../support/command.ts'
import { exchange } from '../support/exchange.ts'

const REAL = Date.parse('2026-11-19T12:34:56Z')
const start = { pets: { pets: [], nextId: 1 }, keys: [], seed: 7, now: undefined, frozen: false }

function newWorld() {
  const worlds = new Worlds(start, new Map(), REAL)
  const world = worlds.default
  let n = 0
  const request = (members = {}) =>
    answered(world, exchange({ id: world.nextRequestId(), ...members }), { n: ++n, at: REAL })
  const call = (act: (world: World) => void) => {
    const sent = command({ n: ++n, at: REAL })
    sent.asCall().what = 'POST /_sandbox/seed'
    world.beginCall(sent)
    act(world)
    world.endCall()
  }
  const rewind = (id: string) =>
    rewindTo(world, world.past.find(id, 'before'), world.capture(), command({ n: ++n, at: REAL }))
  const undo = () => undoRewind(world, world.past.branch(), command({ n: ++n, at: REAL }))
  return { budget: worlds.budget, world, past: world.past, request, call, rewind, undo }
}

const idsOf = ({ past }: World, branch?: string) => Array.from(past.view(branch), ({ id }) => id)

describe('a point', () => {
  it('is a request, or a call that changed something, in the order of their ends', () => {
    const { world, past, request, call } = newWorld()
    const late = command({ n: 99, at: REAL })
    world.watch.begin(late, true)
    call(() => {})
    request()
    world.end(late, exchange({ id: 'req_late', status: 201 }))
    expect([...past.view()]).toMatchObject([
      { id: 'ctl_000001', at: '2026-11-19T12:34:56.000Z', what: 'POST /_sandbox/seed' },
      { id: 'req_000001', at: '2026-11-19T12:34:56.000Z', what: 'GET /v1/pets 200' },
      { id: 'req_late', at: '2026-11-19T12:34:56.000Z', what: 'GET /v1/pets 201' },
    ])
    expect([past.find('req_late', 'before').position, past.find('req_late', 'after').position]).toEqual([
      0, 6,
    ])
  })

  it('has no state after a request during which meters were dropped, which no command repeats', () => {
    const { world, past, request } = newWorld()
    request()
    const late = command({ n: 99, at: REAL })
    world.watch.begin(late, true)
    world.meters.onDrop()
    request()
    world.end(late, exchange({ id: 'req_late' }))
    // The present is that state.
    expect(past.find('req_late', 'after').position).toBe(past.position)
    request()
    expect(() => past.find('req_late', 'after')).toThrow(
      'The history has no state after req_late, because a change could not be stored, or limits were dropped to make room, while the request was in progress.',
    )
    expect(past.find('req_late', 'before').position).toBe(2)
  })

  it('is not any of a recorded journal, which the budget counts nevertheless', () => {
    const { world, past, request, budget } = newWorld()
    past.continueFrom([exchange({ id: 'req_recorded', path: `/${'x'.repeat(5000)}` })], undefined, 0)
    const { bytes } = budget
    request()
    expect(idsOf(world)).not.toContain('req_recorded')
    expect(budget.bytes).toBeGreaterThan(bytes)
  })

  it('is reached by a rewind that changes nothing any number of times: the budget does not count those', () => {
    const { world, past, request, budget } = newWorld()
    request()
    const { bytes } = budget
    const call = command({ n: 2, at: REAL })
    world.beginCall(call)
    expect(budget.bytes).toBeGreaterThan(bytes)
    past.withdraw(call)
    expect(budget.bytes).toBe(bytes)
  })

  it('is kept with the target and the headers of its call, which the budget counts', () => {
    const { world, budget } = newWorld()
    const { bytes } = budget
    world.beginCall(
      command({ request: requestWith('POST', `/${'x'.repeat(5000)}`, ['cookie', 'x'.repeat(5000)]) }),
    )
    expect(budget.bytes - bytes).toBeGreaterThan(10_000)
  })

  it('that does not exist causes an error with the oldest point', () => {
    const { past, request } = newWorld()
    expect(() => past.find('x'.repeat(500), 'before')).toThrow(
      /^The history has no point x{100}…: it is empty/,
    )
    request()
    expect(() => past.find('req_9', 'after')).toThrow(
      'The history has no state after req_9. The oldest point is req_000001.',
    )
  })
})

describe('dropped history', () => {
  it('is the oldest beyond the length of the journal, with its checkpoints', () => {
    const { world, past, request, budget } = newWorld()
    const sizes: number[] = []
    for (let i = 0; i < 3 * JOURNAL_LENGTH; i++) {
      request()
      if (i % 100 === 0) sizes.push(budget.bytes)
    }
    expect([idsOf(world).length, idsOf(world)[0], past.gone]).toEqual([
      JOURNAL_LENGTH,
      'req_002001',
      'journal',
    ])
    expect(past.recordable()?.runs.length).toBeLessThan(20)
    expect(budget.bytes).toBeLessThan(1.2 * (sizes[11] as number))
  })

  it('is everything but the journal if a single change keeps too much data', () => {
    const { world, past, request, rewind } = newWorld()
    request()
    request()
    rewind('req_000002')
    past.keepReplaced(KEPT_BYTES)
    expect([idsOf(world), past.gone, world.journal.entries().length]).toEqual([[], 'size', 1])
    expect(() => past.branch()).toThrow('There is no rewind to undo')
    request()
    expect(idsOf(world)).toEqual(['req_000003'])
  })

  it('is the part without an earlier checkpoint, while there are always requests in progress', () => {
    const { world, past, request } = newWorld()
    world.watch.begin(command({ n: 9000, at: REAL }), true)
    for (let i = 0; i < 8000; i++) request()
    expect([idsOf(world), past.gone, world.journal.entries().length]).toEqual([[], 'busy', JOURNAL_LENGTH])
  })
})

describe('the branch of a rewind', () => {
  it('has a name, with which its points are listed; ids are used again', () => {
    const { world, past, request, call, rewind } = newWorld()
    request()
    request()
    call(() => {})
    rewind('req_000002')
    expect([idsOf(world), past.branch().name]).toEqual([['req_000001'], 'branch_1'])
    call(() => {})
    expect(Array.from(past.view('branch_1'), ({ id, branch }) => [id, branch])).toEqual([
      ['req_000001', undefined],
      ['ctl_000002', undefined],
      ['req_000002', 'branch_1'],
      ['ctl_000001', 'branch_1'],
      ['branch_1', undefined],
    ])
  })

  it('is one of at most five, and is dropped no later than the commands before it', () => {
    const { world, past, request, rewind, budget } = newWorld()
    for (let i = 0; i < 20; i++) request()
    for (let i = 15; i > 5; i--) {
      rewind([...world.past.view()][i]?.id ?? '')
      request()
    }
    const names = new Set([...past.view('*')].flatMap(({ branch }) => branch ?? []))
    expect(names.size).toBeLessThanOrEqual(5)
    expect(past.branch().name).toBe('branch_10')
    for (let i = 0; i < JOURNAL_LENGTH; i++) request()
    expect(() => past.branch()).toThrow('There is no rewind to undo; branches: none.')
    world.forget()
    expect(budget.bytes).toBe(0)
  })

  it('is one of at most five, also if all of them begin at one point; no request is in progress after a rewind', () => {
    const { world, past, request, rewind } = newWorld()
    for (let i = 0; i < 8; i++) {
      request()
      world.watch.begin(command({ n: 9000 + i, at: REAL }), true)
      expect(past.isBusy).toBe(true)
      rewind(idsOf(world)[0] ?? '')
      expect(past.isBusy).toBe(false)
    }
    const names = new Set([...past.view('*')].flatMap(({ branch }) => branch ?? []))
    expect([...names]).toEqual([4, 5, 6, 7, 8].map((n) => `branch_${n}`))
  })

  it('is dropped when the budget is full, and so are older commands of the present', () => {
    const { world, past, request, rewind, budget } = newWorld()
    for (let i = 0; i < 200; i++) request()
    rewind('req_000100')
    budget.reserve(KEPT_BYTES - budget.bytes)
    request()
    expect(world.journal.entries().map(({ id }) => id)).toEqual(idsOf(world))
    expect(past.gone).toBe('budget')
  })

  it.each(['before', 'after'])(
    'is dropped with the checkpoint at which it begins, if that is %s an undo',
    (when) => {
      const { world, past, request, rewind, undo, budget } = newWorld()
      for (let i = 0; i < 20; i++) request()
      if (when === 'after') rewind('req_000015')
      const reserved = KEPT_BYTES - budget.bytes
      budget.reserve(reserved)
      if (when === 'after') undo()
      else rewind('req_000015')()
      expect(() => past.branch()).toThrow('There is no rewind to undo; branches: none.')
      expect(world.journal.entries().map(({ id }) => id)).toEqual(idsOf(world))
      request()
      world.forget()
      expect(budget.bytes).toBe(reserved)
    },
  )
})
