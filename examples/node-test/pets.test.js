import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createSandbox } from 'petstore-sandbox'

describe('a client of the Animal Store', () => {
  let sandbox
  before(async () => {
    sandbox = await createSandbox({ port: 0 })
  })
  beforeEach(() => sandbox.reset())
  after(() => sandbox.close())

  const call = (path, key, init = {}) =>
    fetch(sandbox.baseUrl + path, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } })

  it('meets its limit, and a minute later it may go on', async () => {
    const key = sandbox.key('free')
    const answers = await Promise.all(Array.from({ length: 61 }, () => call('/pets', key)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 60)
    assert.equal(answers.filter(({ status }) => status === 429).length, 1)
    await sandbox.clock.advance('61s')
    assert.equal((await call('/pets', key)).status, 200)
  })

  it('loses an answer, and makes a duplicate', async () => {
    await sandbox.faults.add({
      match: { operationId: 'createPet' },
      effect: { wire: 'reset' },
      when: 'after',
      times: 1,
    })
    const create = () =>
      call('/pets', sandbox.key(), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"name":"Kit","categoryId":2}',
      })
    await assert.rejects(create)
    assert.equal((await create()).status, 201)
    await sandbox.verify({ operationId: 'createPet', body: { name: 'Kit' } }, { exactly: 2 })
    assert.equal((await sandbox.report()).possibleDuplicates, 1)
  })

  it('is alone in its namespace', async () => {
    const world = sandbox.namespace('alone')
    await world.seed({ pets: [{ name: 'Only', categoryId: 1 }] })
    const pets = await (await call('/pets', world.key())).json()
    assert.deepEqual(pets, [{ id: 1, name: 'Only', categoryId: 1 }])
    assert.equal((await (await call('/pets', sandbox.key())).json()).length, 12)
  })

  it('sees getPet go', async () => {
    await sandbox.clock.set('2030-12-05T00:00:00Z')
    assert.equal((await call('/pets/1', sandbox.key())).status, 410)
  })
})
