import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/compose/sandbox.ts'
import { animalStoreContract } from '../../src/contract/animal-store.ts'
import { inOrder, reportSteps, testSteps } from '../../src/control/requests.ts'
import { completeSteps } from '../../src/fixtures/complete.ts'
import { Slices } from '../../src/time/slices.ts'
import { indexSteps, Pets, sizeOfTable } from '../../src/world/pets/collection.ts'
import { Worlds } from '../../src/world/worlds.ts'
import { command } from '../support/command.ts'
import { exchange } from '../support/exchange.ts'
import { apiOf, controlOf } from './client.ts'

const { petShape } = animalStoreContract()

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await createSandbox({ listen: false, log: 'silent' })
})
afterEach(() => sandbox.close())

it.each([reportSteps, testSteps])(
  'the report of all namespaces, $name, takes a step for each of them',
  (report) => {
    const table = { pets: [], nextId: 1 }
    const worlds = new Worlds({ pets: table, keys: [], seed: 1, now: 0, frozen: true }, new Map(), 0)
    for (let i = 1; i < 1000; i++) worlds.get(`w${i}`, 0)
    const steps: Iterator<unknown> = report(worlds.all(), ['listPets'], true)
    let taken = 0
    while (!steps.next().done) taken++
    expect(taken).toBe(1000)
  },
)

it('the requests of all namespaces are collected in a step for each of them', async () => {
  const table = { pets: [], nextId: 1 }
  const worlds = new Worlds({ pets: table, keys: [], seed: 1, now: 0, frozen: true }, new Map(), 0)
  for (let i = 1; i < 100; i++) worlds.get(`w${i}`, 0)
  expect([...inOrder(worlds.all(), () => [])]).toHaveLength(100)
  for (const name of ['w2', 'w1']) await apiOf(sandbox.fetch)('/pets', { key: `psk_pro.${name}` })
  const { body } = await controlOf(sandbox.fetch)('GET', '/requests?namespace=*')
  expect(body.map(({ namespace }: { namespace: string }) => namespace)).toEqual(['w2', 'w1'])
})

it('the history and the report by test are made in slices, and have a length', async () => {
  const control = controlOf(sandbox.fetch)
  await control('POST', '/clock', { advance: '1s' })
  await apiOf(sandbox.fetch)('/pets', { headers: { baggage: 'test.name=first' } })
  const run = vi.spyOn(Slices.prototype, 'run')
  const history = await control('GET', '/history')
  expect(history.body).toMatchObject([{ id: 'ctl_000001' }, { id: 'req_000001' }])
  expect(run).toHaveBeenCalledTimes(1)
  const report = await control('GET', '/report?by=test')
  expect(report.body).toMatchObject({ requests: 1, tests: [{ test: 'first' }] })
  // The counts, then their text.
  expect(run).toHaveBeenCalledTimes(3)
  for (const { headers, text } of [history, report])
    expect(headers.get('content-length')).toBe(String(text.length))
  run.mockRestore()
})

it('the report by test takes a step for each test', () => {
  const table = { pets: [], nextId: 1 }
  const worlds = new Worlds({ pets: table, keys: [], seed: 1, now: 0, frozen: true }, new Map(), 0)
  for (let i = 0; i < 100; i++) {
    const sent = command({ n: i + 1 })
    worlds.default.watch.begin(sent, true)
    worlds.default.end(sent, exchange({ test: `test ${i}` }))
  }
  expect([...testSteps(worlds.all(), [], false)]).toHaveLength(101)
})

it('a table of pets is serialised in steps, once', () => {
  const count = 100_000
  const pets = Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    name: `${i}`,
    categoryId: 1,
    status: i % 2 ? 'sold' : 'pending',
  }))
  const table = { pets, nextId: count + 1 }
  const taken = [...indexSteps(table)].length
  expect(taken).toBeGreaterThan(count / 10_000)
  expect([...indexSteps(table)]).toEqual([])
  expect(new Pets(table).count('sold')).toBe(count / 2)
  expect(sizeOfTable(table)).toBe(sizeOfTable({ ...table }))
})

it('a fixture is completed in steps of a thousand pets, in any order', () => {
  const count = 20_000
  const pets = Array.from({ length: count }, (_, i) => ({ id: count - i, name: `${i}`, categoryId: 1 }))
  const steps = completeSteps({ pets }, petShape)
  let taken = 0
  for (;;) {
    const step = steps.next()
    taken++
    if (!step.done) continue
    expect(step.value.pets.map(({ id }) => id)).toEqual(pets.map(({ id }) => id).sort((a, b) => a - b))
    break
  }
  expect(taken).toBeGreaterThan((count / 1000) * 4)
})

it('an export equals the seeded fixture, and is created only when it is read', async () => {
  const control = controlOf(sandbox.fetch)
  const pets = Array.from({ length: 5000 }, (_, i) => ({ id: i + 1, name: `pet "${i}"`, categoryId: 1 }))
  await control('POST', '/seed', { pets })
  await apiOf(sandbox.fetch)('/pets', { json: { name: 'Kit', categoryId: 2 } })
  const response = await sandbox.fetch('/_sandbox/export')
  await apiOf(sandbox.fetch)('/pets', { json: { name: 'later', categoryId: 2 } })
  expect(await response.json()).toEqual({
    pets: [...pets, { id: 5001, name: 'Kit', categoryId: 2 }],
    nextId: 5002,
    keys: [],
  })
})

it('adding pets respects the limit, and keeps pets that are created meanwhile', async () => {
  const control = controlOf(sandbox.fetch)
  const pets = Array.from({ length: 10_001 }, () => ({ name: 'x', categoryId: 1 }))
  const refused = await control('POST', '/seed', { mode: 'append', pets })
  expect(refused.body.message).toBe('at most 10,000 pets can be added at a time; send them in parts')
  await control('POST', '/reset')
  const before = (await control('GET', '/health')).body.pets
  const appended = control('POST', '/seed', { mode: 'append', pets: pets.slice(1) })
  const created = await Promise.all(
    Array.from({ length: 200 }, async () => {
      await new Promise(setImmediate)
      const response = await apiOf(sandbox.fetch)('/pets', {
        key: 'psk_enterprise',
        json: { name: 'y', categoryId: 1 },
      })
      return ((await response.json()) as { id: number }).id
    }),
  )
  expect((await appended).status).toBe(200)
  const { pets: all } = JSON.parse((await control('GET', '/export')).text) as { pets: { id: number }[] }
  expect(all).toHaveLength(before + 10_200)
  const ids = all.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(created.every((id) => ids.includes(id))).toBe(true)
})

it('of seeds with long bodies that come at once, one is parsed and applied at a time', async () => {
  const seed = (name: string) => {
    const pets = Array.from({ length: 4000 }, () => ({ name, categoryId: 1 }))
    return controlOf(sandbox.fetch)('POST', `/seed?namespace=${name}`, { pets })
  }
  const { run } = Slices.prototype
  let running = 0
  let most = 0
  const counted = vi.spyOn(Slices.prototype, 'run').mockImplementation(function (this: Slices, steps) {
    most = Math.max(most, ++running)
    return run.call(this, steps).finally(() => running--)
  })
  const answers = await Promise.all(['w1', 'w2', 'w3'].map(seed))
  counted.mockRestore()
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(most).toBe(1)
})

it('a seed with a long body does not wait for a long request that is sent again and held', async () => {
  const control = controlOf(sandbox.fetch)
  await apiOf(sandbox.fetch)('/pets', { json: { name: 'Kit', categoryId: 1 } })
  const [{ id }] = (await control('GET', '/requests')).body
  await control('POST', '/faults', { effect: { hold: { until: 'released', timeout: '60s' } } })
  const body = JSON.stringify({ name: 'Kit', categoryId: 1, tag: 'x'.repeat(100_000) })
  const resent = control('POST', `/requests/${id}/resend`, { edits: { body } })
  const isHeld = async () => expect((await control('GET', '/holds')).body).toHaveLength(1)
  await vi.waitFor(isHeld, { timeout: 60_000 })
  const pets = Array.from({ length: 4000 }, () => ({ name: 'Kit', categoryId: 1 }))
  expect((await control('POST', '/seed?namespace=w1', { pets })).status).toBe(200)
  await control('POST', '/holds/hold_1/release', {})
  expect((await resent).status).toBe(200)
})
