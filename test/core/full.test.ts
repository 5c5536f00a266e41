import { expect, it, onTestFinished } from 'vitest'
import { VERSION } from '../../src/contract/version.ts'
import { createCore } from '../../src/core.ts'
import { replayText } from '../support/replaying-core.ts'

/** A core in which other namespaces leave no room for another pet. */
async function openFull() {
  const core = await createCore({ maxState: 20_000, fixture: 'empty' })
  onTestFinished(() => core.close())
  const post = async (path: string, body: object, key = 'psk_pro') => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    return (await core.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).status
  }
  const create = (name = 'Kit', key?: string) => post('/v1/pets', { name, categoryId: 1 }, key)
  expect(await create()).toBe(201)
  const fill = async () => {
    for (let n = 0; (await create('x'.repeat(3000), 'psk_enterprise.other')) === 201; n++)
      expect(n).toBeLessThan(20)
    for (let n = 0; (await create('x'.repeat(50), 'psk_enterprise.other')) === 201; n++)
      expect(n).toBeLessThan(200)
  }
  const read = async (path: string) => (await core.fetch(path)).text()
  return { post, create, fill, read }
}

it('a recording of one namespace replays refusals for which other namespaces left no room', async () => {
  const { post, create, fill, read } = await openFull()
  await fill()
  expect(await create('x'.repeat(50))).toBe(503)
  expect(await post('/_sandbox/seed', { count: 50 })).toBe(503)
  const pets = [{ name: 'x'.repeat(3000), categoryId: 1 }]
  expect(await post('/_sandbox/seed', { pets, mode: 'append' })).toBe(503)
  expect(await post('/_sandbox/reset', { only: ['limits'] })).toBe(200)
  const text = await read('/_sandbox/recording')
  expect(await replayText(text)).toEqual({ commands: 4, compared: 4 })
})

it('a recording replays although this version counts more bytes than the one that recorded it', async () => {
  const { create, fill, read } = await openFull()
  await fill()
  expect(await create('x'.repeat(50))).toBe(503)
  const text = await read('/_sandbox/recording?namespace=other')
  expect(text).toContain('"maxState":20000')
  const earlier = text.replace(`"version":"${VERSION}"`, '"version":"0.0.1"')
  const replayed = await replayText(earlier.replace('"maxState":20000', '"maxState":15000'))
  expect(replayed).toEqual({ commands: replayed?.compared, compared: expect.any(Number) })
})

it('an earlier state lacks the pet of a held request for which there was no room', async () => {
  const { post, create, fill, read } = await openFull()
  await post('/_sandbox/faults', {
    effect: { hold: { until: 'released' } },
    match: { method: 'POST', key: 'psk_pro' },
  })
  const held = create('x'.repeat(50))
  expect(await post('/_sandbox/reset', { only: ['limits'] })).toBe(200)
  await fill()
  expect(await post('/_sandbox/holds/hold_1/release', {})).toBe(200)
  expect(await held).toBe(503)
  const then = JSON.parse(await read('/_sandbox/export'))
  expect(await post('/_sandbox/reset', { only: ['bans'] })).toBe(200)
  expect(JSON.parse(await read('/_sandbox/export?at=req_000002'))).toEqual(then)
})
