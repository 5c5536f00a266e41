import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { hasWorkerd, startWorkerd } from '../support/workerd.ts'

const key = (name: string) => ({ headers: { authorization: `Bearer psk_pro.${name}` } })

it.skipIf(!hasWorkerd)(
  'a namespace does not expire if the Worker has no such option any more',
  async () => {
    const folder = temporaryFolder()
    const before = await startWorkerd([{ expire: '2s' }], folder)
    const headers = { ...key('w1').headers, 'content-type': 'application/json' }
    const body = '{"name":"Kit","categoryId":1}'
    await before.at({ expire: '2s' })('/v1/pets', { method: 'POST', headers, body })
    await before.close()
    const after = await startWorkerd([{}], folder)
    await new Promise((resolve) => setTimeout(resolve, 2500))
    const pets = await (await after.at({})('/v1/pets', key('w1'))).json()
    await after.close()
    expect(pets).toHaveLength(13)
  },
  60_000,
)

it.skipIf(!hasWorkerd)(
  'a variable that is not valid is named in each answer',
  async () => {
    const wrong = { PETSTORE_SANDBOX_LIMITS: 'free=abc' }
    const workerd = await startWorkerd([wrong], temporaryFolder())
    const response = await workerd.at(wrong)('/v1/pets', key('w1'))
    const { message } = (await response.json()) as { message: string }
    await workerd.close()
    expect([response.status, response.headers.get('retry-after')]).toEqual([500, null])
    expect(message).toContain('A variable of the Worker is not valid. PETSTORE_SANDBOX_LIMITS: plans.free')
  },
  60_000,
)
