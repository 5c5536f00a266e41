import { createSandbox, type Sandbox } from 'petstore-sandbox'
import 'petstore-sandbox/vitest'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createStore } from '../src/store.ts'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await createSandbox({ listen: false })
})
afterEach(() => sandbox.close())

it('waits as long as Retry-After says, without a socket and without a pause', async () => {
  const store = createStore({
    baseUrl: '/v1',
    key: sandbox.key('limited'),
    fetch: sandbox.fetch,
    wait: (seconds) => sandbox.clock.advance(`${seconds}s`),
  })
  await store.add('Kit')
  await expect(sandbox).toHaveBackedOff()
  await expect(sandbox).toHaveReceived(
    { operationId: 'createPet', status: 201, body: { name: 'Kit' } },
    { exactly: 1 },
  )
  await expect(sandbox).not.toHaveReceived({ operationId: 'getPet' })
})

it('the error names the nearest requests', async () => {
  await createStore({ baseUrl: '/v1', key: sandbox.key(), fetch: sandbox.fetch }).add('Kat')
  const assertion = expect(sandbox).toHaveReceived({ body: { name: 'Kit' } })
  await expect(assertion).rejects.toThrow(/the nearest requests:\n.*POST \/v1\/pets 201 .*"Kat"/)
})

it('has types', () => {
  // @ts-expect-error a status is a number, or a class such as '4xx'
  const wrong = () => expect(sandbox).toHaveReceived({ status: '201' })
  const right: () => Promise<void> = () => expect(sandbox).not.toHaveBackedOff()
  expect([wrong, right]).toHaveLength(2)
})
