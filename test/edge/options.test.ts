import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { hasWorkerd, startWorkerd, type WorkerOptions } from '../support/workerd.ts'

const key = (name: string) => ({ headers: { authorization: `Bearer psk_pro.${name}` } })

it.skipIf(!hasWorkerd)('a namespace does not expire if the Worker has no such option any more', async () => {
  const folder = temporaryFolder()
  const before = await startWorkerd([{ expire: '4s' }], folder)
  const headers = { ...key('w1').headers, 'content-type': 'application/json' }
  const body = '{"name":"Kit","categoryId":1}'
  await before.at({ expire: '4s' })('/v1/pets', { method: 'POST', headers, body })
  await before.close()
  const after = await startWorkerd([{}], folder)
  await new Promise((resolve) => setTimeout(resolve, 4500))
  const pets = await (await after.at({})('/v1/pets', key('w1'))).json()
  await after.close()
  expect(pets).toHaveLength(13)
})

it.skipIf(!hasWorkerd)('answers with the longest --expire', async () => {
  const longest = { expire: '200000000d' }
  const workerd = await startWorkerd([longest], temporaryFolder())
  const response = await workerd.at(longest)('/v1/pets', key('w1'))
  await workerd.close()
  expect(response.status).toBe(200)
})

it.skipIf(!hasWorkerd)('a variable that is not valid is named in each answer', async () => {
  const [limits, fixture] = [
    { PETSTORE_SANDBOX_LIMITS: 'free=abc' },
    { PETSTORE_SANDBOX_FIXTURE: './pets.csv' },
  ]
  const workerd = await startWorkerd([limits, fixture], temporaryFolder())
  const messageWith = async (wrong: WorkerOptions) => {
    const response = await workerd.at(wrong)('/v1/pets', key('w1'))
    expect([response.status, response.headers.get('retry-after')]).toEqual([500, null])
    return ((await response.json()) as { message: string }).message
  }
  const messages = [await messageWith(limits), await messageWith(fixture)]
  await workerd.close()
  expect(messages).toEqual([
    expect.stringContaining('A variable of the Worker is not valid. PETSTORE_SANDBOX_LIMITS: plans.free'),
    expect.stringContaining('is not valid. PETSTORE_SANDBOX_FIXTURE: "./pets.csv" is not a fixture; use'),
  ])
})
