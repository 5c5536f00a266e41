import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { createSandbox, type Sandbox } from 'petstore-sandbox'
import 'petstore-sandbox/vitest'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { addAnimal, soldAnimals } from './shop.ts'

let sandbox: Sandbox
const server = setupServer(
  // The sandbox answers requests to the Animal Store, without a socket.
  http.all('https://api.animal-store.test/*', ({ request }) => sandbox.fetch(request)),
  http.get('https://elsewhere.test/', () => HttpResponse.text('something else')),
)

beforeAll(async () => {
  sandbox = await createSandbox({ listen: false })
  server.listen({ onUnhandledRequest: 'error' })
})
beforeEach(() => sandbox.reset())
afterEach(() => server.resetHandlers())
afterAll(async () => {
  server.close()
  await sandbox.close()
})

it('lists, adds, and lists again', async () => {
  const before = await soldAnimals('psk_pro')
  expect(await addAnimal('psk_pro', 'Kit')).toBe(201)
  expect(await soldAnimals('psk_pro')).toEqual([...before, 'Kit'])
  await expect(sandbox).toHaveReceived({ operationId: 'createPet', body: { name: 'Kit' } }, { exactly: 1 })
})

it('meets limits, faults and broken connections', async () => {
  await expect(soldAnimals('psk_limited')).rejects.toThrow('the store answers 429')
  await sandbox.faults.add({ effect: { status: 503 }, times: 1 })
  await expect(soldAnimals('psk_pro')).rejects.toThrow('the store answers 503')
  await sandbox.faults.add({ effect: { wire: 'reset' }, times: 1 })
  await expect(soldAnimals('psk_pro')).rejects.toThrow()
  expect(await soldAnimals('psk_pro')).not.toEqual([])
})

it('leaves other hosts alone', async () => {
  expect(await (await fetch('https://elsewhere.test/')).text()).toBe('something else')
})
