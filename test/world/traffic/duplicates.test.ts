import { expect, it } from 'vitest'
import { Budget } from '../../../src/world/budget.ts'
import { Duplicates } from '../../../src/world/traffic/duplicates.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

const MINUTE = 60_000

it('an equal body of the same key within a minute is a duplicate of the last one', () => {
  const seen = new Duplicates(new Budget())
  expect(seen.note('req_1', 0, 'psk_a', bytes('{"name":"Kit"}'), undefined)).toBeUndefined()
  expect(seen.note('req_2', 1, 'psk_b', bytes('{"name":"Kit"}'), undefined)).toBeUndefined()
  expect(seen.note('req_3', MINUTE - 1, 'psk_a', bytes('{"name":"Kit"}'), undefined)).toBe('req_1')
  expect(seen.note('req_4', 2 * MINUTE - 2, 'psk_a', bytes('{"name":"Kit"}'), undefined)).toBe('req_3')
  expect(seen.note('req_5', 3 * MINUTE, 'psk_a', bytes('{"name":"Kit"}'), undefined)).toBeUndefined()
})

it('an equal Idempotency-Key is a duplicate with any body, and has precedence', () => {
  const seen = new Duplicates(new Budget())
  seen.note('req_1', 0, 'psk_a', bytes('one'), 'k1')
  seen.note('req_2', 1, 'psk_a', bytes('two'), 'k2')
  expect(seen.note('req_3', 2, 'psk_a', bytes('two'), 'k1')).toBe('req_1')
})

it('a pet that was not stored has no duplicate; the one before it still has', () => {
  const budget = new Budget()
  const seen = new Duplicates(budget)
  seen.note('req_1', 0, 'psk_a', bytes('one'), 'k1')
  const before = budget.bytes
  seen.note('req_2', 1, 'psk_a', bytes('one'), 'k2')
  seen.withdraw('req_2')
  expect(budget.bytes).toBe(before)
  expect(seen.note('req_3', 2, 'psk_a', bytes('two'), 'k2')).toBeUndefined()
  expect(seen.note('req_4', 3, 'psk_a', bytes('one'), undefined)).toBe('req_1')
})

it('dropped notes release their memory', () => {
  const budget = new Budget()
  const seen = new Duplicates(budget)
  for (let i = 0; i < 3; i++) seen.note(`req_${i}`, i, 'psk_a', bytes(`body ${i}`), 'k')
  expect(budget.bytes).toBeGreaterThan(0)
  seen.reset()
  expect(budget.bytes).toBe(0)
  expect(seen.note('req_9', 4, 'psk_a', bytes('body 0'), 'k')).toBeUndefined()
})

it('notes that the budget has dropped leave memory, also if no other pet is created', () => {
  const budget = new Budget(10_000)
  const seen = new Duplicates(budget)
  for (let i = 0; i < 20; i++) seen.note(`req_${i}`, i, 'psk_a', bytes(`body ${i}`), undefined)
  const captured = seen.capture()
  budget.reserve(9000)
  expect(captured.notes.filter(({ isForgotten }) => !isForgotten)).toHaveLength(2)
  expect(seen.capture().length).toBeLessThanOrEqual(4)
  expect(seen.note('req_20', 20, 'psk_a', bytes('body 17'))).toBeUndefined()
  expect(seen.note('req_21', 21, 'psk_a', bytes('body 17'))).toBe('req_20')
  budget.reserve(1000)
  expect(seen.capture()).toMatchObject({ length: 0, notes: [] })
  budget.reserve(-10_000)
  seen.restore(captured)
  expect(seen.note('req_22', 22, 'psk_a', bytes('body 19'))).toBeUndefined()
})

it('a state that is restored again costs no note, although the oldest ones were dropped', () => {
  const budget = new Budget(10 * 448)
  const seen = new Duplicates(budget)
  for (let i = 0; i < 13; i++) seen.note(`req_${i}`, i, 'psk_a', bytes(`body ${i}`))
  const state = seen.capture()
  for (let n = 0; n < 3; n++) {
    seen.restore(state)
    expect(budget.bytes).toBe(10 * 448)
  }
  const found = [2, 12].map((i) => seen.note(`req_${20 + i}`, 20, 'psk_a', bytes(`body ${i}`)))
  expect(found).toEqual([undefined, 'req_12'])
})
