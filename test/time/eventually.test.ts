import { expect, it } from 'vitest'
import { once, whenReady } from '../../src/time/eventually.ts'

it('continues synchronously with a value, and later with a promise', async () => {
  expect(whenReady(1, (value) => value + 1)).toBe(2)
  const later = whenReady(Promise.resolve(1), (value) => Promise.resolve(value + 1))
  expect(later).toBeInstanceOf(Promise)
  expect(await later).toBe(2)
})

it('throws synchronously, or rejects', async () => {
  const fail = () => {
    throw new Error('no')
  }
  expect(() => whenReady(1, fail)).toThrow('no')
  await expect(whenReady(Promise.resolve(1), fail)).rejects.toThrow('no')
})

it('loads once, and again after a failure', async () => {
  let calls = 0
  const load = once(async () => {
    if (++calls === 1) throw new Error('too many open files')
    return calls
  })
  await expect(load()).rejects.toThrow('too many open files')
  expect(await Promise.all([load(), load()])).toEqual([2, 2])
  expect(await load()).toBe(2)
})
