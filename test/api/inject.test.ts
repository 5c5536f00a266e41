import { describe, expect, it } from 'vitest'
import type { Answer, Call } from '../../src/api/call.ts'
import { type InjectedSteps, inject, pickFault, release } from '../../src/api/inject.ts'
import type { FaultEffect, FaultInput } from '../../src/contract/generated/control.types.d.ts'
import type { Sleep } from '../../src/time/timer.ts'
import { MAX_HOLDS } from '../../src/world/faults/hold.ts'
import { policyWith } from '../world/policy.ts'
import { callOf, NOW, newWorlds } from './call.ts'

const POLICY = policyWith()
const CARRIED_OUT: Answer = { status: 200, text: 'carried out' }

/** Picks and injects a fault. Undefined if no rule acts. */
function injectedInto(call: Call, steps: InjectedSteps, sleep: Sleep = async () => {}, worlds = newWorlds()) {
  const acted = pickFault(call)
  const deps = { sleep, realTime: () => NOW, policy: POLICY, worlds, durable: () => undefined }
  return acted && inject(call, acted, steps, deps)
}

function injected(
  rule: FaultInput | undefined,
  { method = 'GET', sleep = (async () => {}) as Sleep, caller = {} } = {},
) {
  const worlds = newWorlds()
  if (rule) worlds.default.faults.add(rule, NOW)
  const call = Object.assign(callOf({ method }, { worlds }), caller)
  const done: string[] = []
  const act = (what: string) => () => {
    done.push(what)
    return CARRIED_OUT
  }
  return {
    answer: injectedInto(call, { answer: act('answered'), preferred: act('preferred') }, sleep),
    done,
    call,
  }
}

describe('a fault', () => {
  it.each<[string, FaultInput, string, string[], Partial<Answer>]>([
    ['a status', { effect: { status: 503 } }, 'POST', [], { status: 503 }],
    ['a status after', { effect: { status: 503 }, when: 'after' }, 'POST', ['answered'], { status: 503 }],
    ['a reset', { effect: { wire: 'reset' } }, 'GET', [], { status: 500, wire: 'reset' }],
    [
      'a reset after',
      { effect: { wire: 'reset' }, when: 'after' },
      'GET',
      ['answered'],
      { ...CARRIED_OUT, wire: 'reset' },
    ],
    // A truncated read needs its own body; a truncated change must not be carried out.
    [
      'a truncated read',
      { effect: { wire: 'truncate' } },
      'HEAD',
      ['answered'],
      { ...CARRIED_OUT, wire: 'truncate' },
    ],
    ['a truncated change', { effect: { wire: 'truncate' } }, 'POST', [], { status: 500, wire: 'truncate' }],
  ])('%s', async (_, rule, method, done, answer) => {
    const found = injected(rule, { method })
    expect(await found.answer).toMatchObject(answer)
    expect(found.done).toEqual(done)
    expect(found.call.decision).toBe('fault:fault_1')
  })

  it('does not act if no rule matches', () => {
    const other = injected({ match: { operationId: 'createPet' }, effect: { status: 503 } })
    for (const { answer, call } of [injected(undefined), other]) {
      expect([answer, call.decision]).toEqual([undefined, 'served'])
    }
  })

  it('has its own code, message and Retry-After', async () => {
    const effect: FaultEffect = { status: 429, retryAfter: 7, code: 'own', message: 'Łódź' }
    expect(await injected({ effect }).answer).toMatchObject({
      headers: ['Retry-After', '7'],
      refusal: { code: 'own', message: 'Łódź' },
    })
  })

  it('has no Retry-After with a status that needs none, unless it is given', async () => {
    const headersOf = async (effect: FaultEffect) => (await injected({ effect }).answer)?.headers
    expect(await headersOf({ status: 500 })).toEqual([])
    expect(await headersOf({ status: 500, retryAfter: 7 })).toEqual(['Retry-After', '7'])
    expect(await headersOf({ status: 503 })).toEqual(['Retry-After', '1'])
  })

  it('of a flaky key is every third answer', () => {
    const worlds = newWorlds()
    const statuses = Array.from({ length: 6 }, () => {
      const call = callOf({}, { worlds })
      call.caller = { key: 'psk_flaky', plan: 'pro', trigger: { plan: 'pro', failsEvery: 3 } }
      const steps = { answer: () => CARRIED_OUT, preferred: () => CARRIED_OUT }
      return (injectedInto(call, steps) as Answer | undefined)?.status
    })
    expect(statuses).toEqual([undefined, undefined, 503, undefined, undefined, 503])
  })
})

describe('a delay', () => {
  it.each([
    ['before', ['waited', 'preferred']],
    ['after', ['preferred', 'waited']],
  ] as const)('%s: %j', async (when, order) => {
    const done: string[] = []
    const sleep: Sleep = async (milliseconds) => void done.push(milliseconds === 200 ? 'waited' : 'otherwise')
    const worlds = newWorlds()
    worlds.default.faults.add({ effect: { latency: '200ms' }, when }, NOW)
    const preferred = () => {
      done.push('preferred')
      return CARRIED_OUT
    }
    expect(
      await injectedInto(callOf({}, { worlds }), { answer: () => ({ status: 500 }), preferred }, sleep),
    ).toBe(CARRIED_OUT)
    expect(done).toEqual(order)
  })

  it.each([
    ['before', { status: 503 }, ['waited']],
    ['after', { status: 503 }, ['carried out', 'waited']],
    ['after', { wire: 'reset' }, ['carried out', 'waited']],
    // Half of an answer can only be sent if there is one.
    ['before', { wire: 'truncate' }, ['waited', 'carried out']],
  ] as const)('%s a failure: %j', async (when, effect, order) => {
    const done: string[] = []
    const worlds = newWorlds()
    worlds.default.faults.add({ effect: { ...effect, latency: '200ms' }, when }, NOW)
    const answer = () => {
      done.push('carried out')
      return CARRIED_OUT
    }
    const sleep: Sleep = async (milliseconds) => void done.push(milliseconds === 200 ? 'waited' : 'otherwise')
    const call = callOf({}, { worlds })
    const made = await injectedInto(call, { answer, preferred: answer }, sleep)
    expect(made).toMatchObject(effect)
    expect(done).toEqual(order)
    expect(call.acted).toHaveProperty('ms')
  })

  it('during which the world is rewound carries nothing out', async () => {
    const found = injected({ effect: { latency: '1s' } })
    found.call.world.epoch++
    await expect(found.answer).rejects.toThrow('was rewound meanwhile')
    expect(found.done).toEqual([])
  })
})

describe('a hold', () => {
  const rule: FaultInput = { effect: { hold: { until: 'released', timeout: '5s' } } }

  it('ends when it is released', async () => {
    const sleep: Sleep = (_, signal) =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve()))
    const { answer, call, done } = injected(rule, { sleep })
    const [held] = call.world.holds.list
    expect(held).toMatchObject({ request: call.id, operationId: 'listPets' })
    call.world.holds.release(held?.id as string)
    expect(await answer).toBe(CARRIED_OUT)
    expect([done, call.acted?.timeout]).toEqual([['preferred'], undefined])
  })

  it('for which there is no room carries nothing out', () => {
    const worlds = newWorlds()
    const { faults, holds } = worlds.default
    faults.add({ ...rule, when: 'after' }, NOW)
    const other = {
      request: 'req_9',
      operationId: undefined,
      rule: 'fault_1',
      when: 'after',
      since: 0,
    } as const
    for (let i = 0; i < MAX_HOLDS; i++) holds.add({ ...other, until: 'released', timeout: '5s' }, () => {})
    const call = callOf({}, { worlds })
    const carriedOut = () => expect.unreachable()
    const steps = { answer: carriedOut, preferred: carriedOut }
    expect(() => injectedInto(call, steps)).toThrow('1,000 held requests here')
    expect([call.acted, call.decision]).toEqual([undefined, 'served'])
  })

  it('ends at its timeout, which is recorded', async () => {
    const { answer, call } = injected(rule)
    expect(await answer).toBe(CARRIED_OUT)
    expect(call.acted?.timeout).toBe('5s')
    expect(call.world.holds.list).toEqual([])
  })

  it('until another request is answered continues when that answer is sent', async () => {
    const until = { operationId: 'createPet' }
    const sleep: Sleep = (_, signal) =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve()))
    const { answer, call } = injected(
      { effect: { hold: { until } }, match: { operationId: 'listPets' } },
      { sleep },
    )
    const gone = new Set<() => void>()
    const onGone = (act: () => void) => {
      gone.add(act)
      return () => gone.delete(act)
    }
    const other = (target: string, method: string): Call => ({
      ...callOf({ target, method, onGone }),
      id: 'req_000002',
      world: call.world,
    })
    const reply = { status: 200, headers: [], body: undefined }
    expect(release(other('/v1/pets', 'POST'), { ...reply, wire: 'hang' })).toBeUndefined()
    release(other('/v1/pets/1', 'GET'), reply)?.()
    expect(gone).toEqual(new Set())
    expect(call.world.holds.list).toHaveLength(1)
    const onSent = release(other('/v1/pets', 'POST'), reply)
    await answer
    let isSent = false
    const sent = call.sentBefore?.then(() => {
      isSent = true
    })
    await Promise.resolve()
    expect(isSent).toBe(false)
    onSent?.()
    await sent
    expect(isSent).toBe(true)
    expect(release(other('/v1/pets', 'POST'), reply)).toBeUndefined()
  })
})
