import { expect, it } from 'vitest'
import { createStore } from '../src/store.ts'
import { key } from './own-world.ts'

const store = createStore({ baseUrl: process.env.PETSTORE_BASE_URL ?? '', key })

it.each(['a', 'b', 'c', 'd'])('adds an animal that nobody else sees: %s', async (letter) => {
  expect(await store.names()).toHaveLength(12)
  await store.add(`two ${letter}`)
  expect((await store.names()).slice(12)).toEqual([`two ${letter}`])
})
