import { expect, it } from 'vitest'
import { exchangeName, Violations } from '../../../src/views/proxy-summary.ts'
import { exchange } from '../../support/exchange.ts'

const violating = (texts: readonly string[]) => ({ findings: [{ kind: 'violation' as const, texts }] })
const recorded = (...exchanges: Parameters<typeof exchange>[0][]): Violations => {
  const violations = new Violations()
  for (const members of exchanges) violations.record(exchange(members))
  return violations
}

it('counts each violation of an operation, with the first exchange that had it', () => {
  const violations = recorded(
    { id: 'req_000001', ...violating(['a', 'b']) },
    { id: 'req_000002', ...violating(['a']) },
    { id: 'req_000003', operationId: 'createPet', ...violating(['a']) },
    { id: 'req_000004' },
  )
  expect(violations.total).toBe(4)
  expect(violations.list()).toEqual([
    { operation: 'listPets', message: 'a', count: 2, first: 'req_000001 GET /v1/pets 200' },
    { operation: 'listPets', message: 'b', count: 1, first: 'req_000001 GET /v1/pets 200' },
    { operation: 'createPet', message: 'a', count: 1, first: 'req_000003 GET /v1/pets 200' },
  ])
})

it('has the method if there is no operation', () => {
  expect(recorded({ operationId: undefined, method: 'DELETE', ...violating(['a']) }).list()).toMatchObject([
    { operation: 'DELETE' },
  ])
})

it('has at most a thousand different ones, and counts all', () => {
  const many = Array.from({ length: 1500 }, (_, i) => `violation ${i}`)
  const violations = recorded({ ...violating(many) }, { ...violating(many) })
  expect(violations.list()).toHaveLength(1000)
  expect(violations.list().every(({ count }) => count === 2)).toBe(true)
  expect(violations.total).toBe(3000)
})

it('shows a request in one line: its query, and a missing answer', () => {
  expect(exchangeName(exchange({ query: 'limit=1', status: 0 }))).toBe('req_000001 GET /v1/pets?limit=1 none')
})
