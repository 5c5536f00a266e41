import { expect, it } from 'vitest'
import { prismMocks } from '../../src/prism/mocks.ts'
import { animalStore } from './document.ts'

it('loads again with the next request after a failure', async () => {
  let fails = true
  const mocks = prismMocks(async () => {
    if (fails) throw new Error('too many open files')
    return animalStore()
  })
  await expect(mocks.load()).rejects.toThrow('too many open files')
  fails = false
  await mocks.load()
  expect(mocks.load()).toBe(undefined)
})
