import { describe, expect, it, vi } from 'vitest'
import type { FaultInput } from '../../../src/contract/generated/control.types.d.ts'
import { type FaultSubject, Faults, matchesPath } from '../../../src/world/faults/fault.ts'

const subject: FaultSubject = {
  operationId: 'listPets',
  method: 'GET',
  path: '/v1/pets',
  key: 'psk_free',
  parameters: () => new URLSearchParams('limit=5&status=sold&tag=a&tag=b'),
  body: () => ({ name: 'Rex', tags: ['a', { b: null }], owner: { name: 'Ann', age: 9 } }),
}
const certain = () => 0

const faults = (...rules: FaultInput[]): Faults => {
  const all = new Faults()
  for (const rule of rules) all.add(rule, 0)
  return all
}

describe('the fault that is injected', () => {
  it('is of the first rule that matches and is not used up', () => {
    const rules = faults(
      { effect: { status: 500 }, match: { operationId: 'createPet' } },
      { effect: { status: 502 }, times: 2 },
      { effect: { status: 503 } },
    )
    const picked = Array.from({ length: 4 }, () => rules.pick(subject, 0, certain))
    expect(picked.map((rule) => [rule?.id, rule?.acted])).toEqual([
      ['fault_2', 1],
      ['fault_2', 2],
      ['fault_3', 1],
      ['fault_3', 2],
    ])
    expect(rules.list().map(({ acted }) => acted)).toEqual([0, 2, 2])
  })

  it.each<[FaultInput['match'], boolean]>([
    [undefined, true],
    [{}, true],
    [{ method: 'get', path: '/pets', key: 'psk_free', operationId: 'listPets' }, true],
    [{ method: 'POST' }, false],
    [{ path: '/pets/*' }, false],
    [{ key: 'psk_pro' }, false],
    [{ operationId: 'getPet' }, false],
    [{ parameters: 'status=sold' }, true],
    [{ parameters: 'status=sold&limit=5' }, true],
    [{ parameters: 'tag=b' }, true],
    [{ parameters: 'status=s%6Fld' }, true],
    [{ parameters: 'status=sol' }, false],
    [{ parameters: 'status=sold&color=red' }, false],
    [{ parameters: 'toString=1' }, false],
    [{ body: {} }, true],
    [{ body: { name: 'Rex', owner: { age: 9 } } }, true],
    [{ body: { tags: ['a', { b: null }] } }, true],
    [{ body: { tags: ['a', {}] } }, true],
    [{ body: { tags: ['a'] } }, false],
    [{ body: { tags: { 0: 'a' } } }, false],
    [{ body: { name: 'rex' } }, false],
    [{ body: { owner: null } }, false],
    [{ body: { toString: {} } }, false],
    [{ body: [] }, false],
    [{ body: null }, false],
    [{ body: 'Rex' }, false],
  ])('of the match %j: %s', (match, expected) => {
    const rules = faults({ effect: { status: 500 }, ...(match && { match }) })
    expect(rules.pick(subject, 0, certain) !== undefined).toBe(expected)
  })

  it('is of the next rule if the probability excludes the first', () => {
    const rules = faults({ effect: { status: 500 }, probability: 0.5 }, { effect: { status: 503 } })
    expect([0.49, 0.5].map((chance) => rules.pick(subject, 0, () => chance)?.id)).toEqual([
      'fault_1',
      'fault_2',
    ])
  })
})

it('a rule with `for` ends by the clock, and is then removed if there are too many', () => {
  const rules = faults({ effect: { status: 500 }, for: '30s' })
  expect(rules.list()[0]?.expiresAt).toBe('1970-01-01T00:00:30.000Z')
  expect(rules.pick(subject, 29_999, certain)?.id).toBe('fault_1')
  expect(rules.pick(subject, 30_000, certain)).toBeUndefined()
  for (let i = 1; i < 1000; i++) rules.add({ effect: { status: 503 } }, 0)
  expect(() => rules.add({ effect: { status: 503 } }, 0)).toThrow('1,000 fault rules')
  expect(rules.add({ effect: { status: 503 } }, 30_000).id).toBe('fault_1001')
})

it('a rule is removed by its id; ids are not used again until a reset', () => {
  const rules = faults({ effect: { status: 500 } }, { effect: { status: 503 } })
  expect([rules.remove('fault_1'), rules.remove('fault_1')]).toEqual([true, false])
  expect(rules.list().map(({ id }) => id)).toEqual(['fault_2'])
  rules.clear()
  expect(rules.list()).toEqual([])
  expect(rules.add({ effect: { status: 500 } }, 0).id).toBe('fault_3')
  rules.reset()
  expect(rules.add({ effect: { status: 500 } }, 0).id).toBe('fault_1')
})

it.each([
  ['/v1/pets', '/v1/pets', true],
  ['/pets', '/v1/pets', true],
  ['/pets/*', '/v1/pets/1', true],
  ['/v1/pets*', '/v1/pets', true],
  ['/pets', '/v1/pets/1', false],
  ['/v1', '/v1x', false],
  ['/x/pets', '/x/v1/pets', false],
  ['*', '/anything', true],
  ['/pets/1', '/v1/pets/%31', true],
  ['/pets', '/v1/%70ets', true],
  ['/pets', '/%76%31/pets', true],
  ['/v1/%70ets', '/v1/%70ets', true],
  ['/pets/1', '/v1/pets/%2531', false],
  ['/pets/a/b', '/v1/pets/a%2fb', false],
  ['/pets/%zz', '/v1/pets/%zz', true],
])('the path pattern %s, of %s: %s', (pattern, path, expected) => {
  expect(matchesPath(pattern, path)).toBe(expected)
})

it('a path is decoded once for all rules', () => {
  const rules = faults(
    ...Array.from({ length: 100 }, (_, i) => ({ effect: { status: 500 }, match: { path: `/pets/${i}` } })),
  )
  const decode = vi.spyOn(globalThis, 'decodeURIComponent')
  const found = rules.pick({ ...subject, path: '/v1/pets/9%39' }, 0, certain)
  expect(found?.match).toEqual({ path: '/pets/99' })
  expect(decode).toHaveBeenCalledTimes(1)
  decode.mockRestore()
})
