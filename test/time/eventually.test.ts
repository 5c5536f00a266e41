import { expect, it } from 'vitest'
import { whenReady } from '../../src/time/eventually.ts'

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
