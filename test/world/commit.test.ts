import fs from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createSandbox } from '../../src/compose/sandbox.ts'
import { animalStoreContract } from '../../src/contract/animal-store.ts'
import { openFileStore } from '../../src/node/store/file-store.ts'
import { slices } from '../../src/node/turns.ts'
import { type Committer, createCommitter, replaceKeys, replacePets } from '../../src/world/commit.ts'
import { createMemoryStore } from '../../src/world/memory-store.ts'
import type { Store } from '../../src/world/store.ts'
import type { World } from '../../src/world/world.ts'
import { Worlds } from '../../src/world/worlds.ts'
import { asAfterCrash } from '../node/store/folder.ts'
import { create, plain, remove, tableOfSize, update } from '../node/store/model.ts'
import { temporaryFolder } from '../support/folder.ts'

const start = { pets: tableOfSize(3), keys: [], seed: 7, now: undefined, frozen: false }
const refusal = { code: 'service_unavailable', status: 503 }

const openStore = (folder: string): Promise<Store> =>
  openFileStore(join(folder, 'db.json'), { warn: () => {}, petShape: animalStoreContract().petShape, slices })

async function compose() {
  const folder = temporaryFolder()
  const store = await openStore(folder)
  onTestFinished(() => store.close(0))
  const worlds = new Worlds(start, store.found, 0)
  store.connect(() => worlds.stored())
  return { folder, worlds, committer: createCommitter(worlds, store), stored: () => plain(worlds.stored()) }
}

/** The state that a start would find now. */
async function foundIn(folder: string) {
  const store = await openStore(asAfterCrash(folder))
  const found = plain(store.found)
  await store.close(0)
  return found
}

function breakDisk() {
  const disk = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
    throw new Error('ENOSPC: no space left on device, write')
  })
  onTestFinished(() => disk.mockRestore())
  return disk
}

const nameOf = ({ name }: { readonly name: string }) => name

const idsOf = ({ collections }: World) => [...collections.pets.values()].map(({ id }) => id)

function add({ commit }: Committer, world: World): void {
  const { pets } = world.collections
  const change = create(pets.nextId, { namespace: world.name })
  if (change.op === 'create') commit(world, change, () => pets.put(change.pet))
}

function rename({ commit }: Committer, world: World, id: number): void {
  const change = update(id, 'Kit', { namespace: world.name })
  if (change.op === 'update') commit(world, change, () => world.collections.pets.put(change.pet))
}

const take = ({ commit }: Committer, world: World, id: number): void =>
  commit(world, remove(id, { namespace: world.name }), () => world.collections.pets.delete(id))

describe('a change', () => {
  it('to keys of default is also waited for in namespaces that inherit them', async () => {
    const { worlds, committer } = await compose()
    const other = worlds.get('w2', 0)
    replaceKeys(worlds.default, worlds.default.keys.with({ key: 'own', plan: 'pro' }), committer.commit)
    expect(other.keys.planOf('own', 0)).toBe('pro')
    const durable = committer.durable(other.name)
    expect(durable).toBeInstanceOf(Promise)
    await durable
    replaceKeys(other, other.keys.without('own'), committer.commit)
    expect(committer.durable(worlds.default.name)).toBeUndefined()
    await committer.durable()
    add(committer, worlds.default)
    expect(committer.durable(other.name)).toBeUndefined()
    await committer.durable()
  })

  it('is visible at once, and replies that may depend on it wait until it is durable', async () => {
    const { folder, worlds, committer, stored } = await compose()
    const [world, other] = [worlds.get('w1', 0), worlds.get('w2', 0)]
    add(committer, world)
    take(committer, world, 2)
    expect(idsOf(world)).toEqual([1, 3, 4])
    const durable = committer.durable(world.name)
    expect(durable).toBeInstanceOf(Promise)
    expect(committer.durable()).toBe(durable)
    expect(committer.durable(other.name)).toBeUndefined()
    expect(await foundIn(folder)).toEqual(new Map())
    await durable
    expect(committer.durable()).toBeUndefined()
    expect(await foundIn(folder)).toEqual(stored())
    expect([...stored().keys()]).toEqual(['w1'])
  })

  it('without an effect is not written, unless the state was changed meanwhile', async () => {
    const { folder, worlds, committer, stored } = await compose()
    const world = worlds.get('w1', 0)
    add(committer, world)
    await committer.durable()
    const kept = world.stored()
    const putBack = () =>
      committer.commit(world, { op: 'replace', namespace: 'w1' }, () =>
        world.restoreStored({ ...kept, pets: kept.pets.copy() }),
      )
    putBack()
    expect(committer.durable(world.name)).toBeUndefined()
    add(committer, world)
    putBack()
    await committer.durable(world.name)
    expect(idsOf(world)).toEqual([1, 2, 3, 4])
    expect(await foundIn(folder)).toEqual(stored())
  })

  it('of a namespace that was dropped meanwhile is refused', async () => {
    const { worlds, committer } = await compose()
    const world = worlds.get('w1', 0)
    committer.drop(world)
    expect(() => add(committer, world)).toThrow(expect.objectContaining(refusal))
    expect(idsOf(world)).toEqual([1, 2, 3])
    await committer.durable()
  })

  it('in memory needs no wait', () => {
    const worlds = new Worlds(start, new Map(), 0)
    const committer = createCommitter(worlds, createMemoryStore())
    add(committer, worlds.default)
    expect(committer.durable()).toBeUndefined()
    expect(idsOf(worlds.default)).toEqual([1, 2, 3, 4])
    committer.drop(worlds.get('w1', 0))
    expect(worlds.find('w1')).toBeUndefined()
  })
})

describe('the changes of a turn that cannot be written', () => {
  it('a control call is said not to be stored, and subscribers get the state again', async () => {
    const db = join(temporaryFolder(), 'db.json')
    await using sandbox = await createSandbox({ listen: false, log: 'silent', db })
    const events = (await sandbox.fetch('/_sandbox/events')).body?.getReader()
    const disk = breakDisk()
    await expect(sandbox.seed({ fixture: 'busy' })).rejects.toThrow('was not stored')
    disk.mockRestore()
    await sandbox.seed({ fixture: 'sold-out' })
    const history = await (await sandbox.fetch('/_sandbox/history')).json()
    expect(history.map(({ what }: { what: string }) => what)).toEqual([
      'not stored: seeded busy',
      'seeded sold-out',
    ])
    let text = ''
    while (!text.includes('seeded sold-out')) text += Buffer.from((await events?.read())?.value ?? '')
    await events?.cancel()
    expect([...text.matchAll(/"pets":(\d+)/g)].map(([, pets]) => pets)).toEqual(['12', '500', '12', '12'])
  })

  it('include that of a request whose answer a rule delays', async () => {
    const db = join(temporaryFolder(), 'db.json')
    await using sandbox = await createSandbox({ listen: false, log: 'silent', db })
    const headers = { authorization: `Bearer ${sandbox.key('pro')}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: '{"name":"Kit","categoryId":1}' }
    await sandbox.faults.add({ effect: { latency: '50ms' }, when: 'after' })
    const disk = breakDisk()
    expect((await sandbox.fetch('/v1/pets', init)).status).toBe(503)
    disk.mockRestore()
    expect((await sandbox.export()).pets).toHaveLength(12)
  })

  it('of rewinds leave no rewind to undo', async () => {
    const db = join(temporaryFolder(), 'db.json')
    await using sandbox = await createSandbox({ listen: false, log: 'silent', db })
    const headers = { authorization: `Bearer ${sandbox.key('pro')}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: '{"name":"Kit","categoryId":1}' }
    for (const _ of [1, 2]) await sandbox.fetch('/v1/pets', init)
    const disk = breakDisk()
    const rewinds = ['req_000002', 'req_000001'].map((id) => sandbox.rewind(id))
    const ended = await Promise.allSettled(rewinds)
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    disk.mockRestore()
    expect((await sandbox.export()).pets).toHaveLength(14)
    expect((await sandbox.history('*')).map(({ id }) => id)).toEqual(['req_000001', 'req_000002'])
    await expect(sandbox.rewind({ undo: true })).rejects.toThrow('no rewind to undo')
  })

  it('of an undone rewind leave the history as it was', async () => {
    const db = join(temporaryFolder(), 'db.json')
    await using sandbox = await createSandbox({ listen: false, log: 'silent', db })
    const headers = { authorization: `Bearer ${sandbox.key('pro')}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: '{"name":"Kit","categoryId":1}' }
    const ids = async () => (await sandbox.history()).map(({ id }) => id)
    for (const _ of [1, 2]) await sandbox.fetch('/v1/pets', init)
    await sandbox.rewind('req_000002')
    const disk = breakDisk()
    await expect(sandbox.rewind({ undo: true })).rejects.toThrow('not stored')
    disk.mockRestore()
    await sandbox.rewind({ undo: true })
    for (const _ of [1, 2]) await sandbox.fetch('/v1/pets', init)
    expect(await ids()).toEqual(['req_000001', 'req_000002', 'req_000003', 'req_000004'])
    await sandbox.rewind({ undo: true })
    expect(await ids()).toEqual(['req_000001'])
    await sandbox.rewind({ undo: true })
    expect(await ids()).toEqual(['req_000001', 'req_000002', 'req_000003', 'req_000004'])
  })

  it('of a fork leave no namespace; the fork can be repeated', async () => {
    const db = join(temporaryFolder(), 'db.json')
    await using sandbox = await createSandbox({ listen: false, log: 'silent', db, freeze: true })
    const namesOf = async () => (await (await sandbox.fetch('/_sandbox/namespaces')).json()).map(nameOf)
    const disk = breakDisk()
    await expect(sandbox.namespace('w1').fork('default')).rejects.toThrow('was not stored')
    await sandbox.clock.advance('1h')
    await expect(sandbox.fork('w2')).rejects.toThrow('was not stored: pets and keys are as before. ')
    expect(await namesOf()).toEqual(['default'])
    disk.mockRestore()
    await sandbox.fork('w2')
    expect(await namesOf()).toEqual(['default', 'w2'])
    expect(await sandbox.namespace('w2').clock.now()).toEqual(await sandbox.clock.now())
  })

  it('are refused to their callers and to those who may have read them, not to others', async () => {
    const db = join(temporaryFolder(), 'db.json')
    const limits = { enterprise: 'unlimited/unlimited' }
    await using sandbox = await createSandbox({ listen: false, log: 'silent', db, limits })
    const call = async (key: string, method = 'GET'): Promise<string> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const body = method === 'POST' ? '{"name":"Kit","categoryId":1}' : null
      const response = await sandbox.fetch('/v1/pets?sort=newest', { method, headers, body })
      return `${response.status} ${await response.text()}`
    }
    const disk = breakDisk()
    const made = call('psk_enterprise', 'POST')
    const [seen, others]: Promise<string>[][] = [[], []]
    for (let i = 0; i < 100; i++) {
      seen?.push(call('psk_enterprise'))
      others?.push(call('psk_enterprise.w1'))
      await Promise.resolve()
    }
    expect(await made).toMatch(/^503 .*was not stored/s)
    const answers = await Promise.all(seen ?? [])
    expect(answers.filter((answer) => answer.startsWith('503'))).not.toEqual([])
    expect(answers.filter((answer) => answer.startsWith('200') && answer.includes('Kit'))).toEqual([])
    expect((await Promise.all(others ?? [])).filter((answer) => !answer.startsWith('200'))).toEqual([])
    disk.mockRestore()
    expect(await call('psk_enterprise')).toMatch(/^200 (?!.*Kit)/s)
    expect(await call('psk_enterprise', 'POST')).toMatch(/^201/)
  })

  it('are all undone, of any kind; other namespaces are unchanged', async () => {
    const { folder, worlds, committer, stored } = await compose()
    const [world, gone] = [worlds.default, worlds.get('gone', 0)]
    for (const each of [world, gone]) add(committer, each)
    const other = worlds.get('other', 0)
    await committer.durable()
    const before = stored()
    const disk = breakDisk()

    add(committer, world)
    rename(committer, world, 1)
    take(committer, world, 2)
    expect(committer.durable(other.name)).toBeUndefined()
    replaceKeys(world, world.keys.with({ key: 'psk_mine', plan: 'pro', issued: true }), committer.commit)
    replacePets(world, tableOfSize(1), committer.commit)
    const first = worlds.get('first', 0)
    add(committer, first)
    committer.drop(gone)
    const anew = worlds.get('gone', 0)
    expect(idsOf(anew)).toEqual([1, 2, 3])
    // A namespace of which only the drop was visible is included.
    const seen = [world, first, anew].map((each) => committer.durable(each.name))
    for (const each of seen) await expect(each).rejects.toMatchObject(refusal)

    expect(stored()).toEqual(before)
    expect(worlds.find('gone')).toBe(gone)
    expect(first.isStored).toBe(false)
    expect(idsOf(first)).toEqual([1, 2, 3])
    expect(world.keys.planOf('psk_mine', 0)).toBeUndefined()
    expect(committer.durable()).toBeUndefined()

    disk.mockRestore()
    for (const each of [world, gone, first]) add(committer, each)
    expect(idsOf(world)).toEqual([1, 2, 3, 4, 5])
    await committer.durable()
    expect(await foundIn(folder)).toEqual(stored())
  })

  it('property: after every turn the namespaces equal the state that a start would find', async () => {
    const name = fc.constantFrom('default', 'w1', 'w2')
    const act = fc.record({
      do: fc.constantFrom('add', 'rename', 'take', 'drop', 'replace'),
      name,
      id: fc.nat(6),
    })
    const turn = fc.record({ fails: fc.boolean(), acts: fc.array(act, { maxLength: 6 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 8 }), async (turns) => {
        const { folder, worlds, committer, stored } = await compose()
        for (const { fails, acts } of turns) {
          const before = stored()
          const disk = fails ? breakDisk() : undefined
          for (const one of acts) {
            const world = worlds.get(one.name, 0)
            const isThere = world.collections.pets.get(one.id) !== undefined
            if (one.do === 'add') add(committer, world)
            if (one.do === 'rename' && isThere) rename(committer, world, one.id)
            if (one.do === 'take' && isThere) take(committer, world, one.id)
            if (one.do === 'drop' && world !== worlds.default) committer.drop(world)
            if (one.do === 'replace') replacePets(world, tableOfSize(one.id), committer.commit)
          }
          await committer.durable()?.catch(() => {})
          disk?.mockRestore()
          if (fails) expect(stored()).toEqual(before)
          expect(await foundIn(folder)).toEqual(stored())
        }
      }),
      { numRuns: 25 },
    )
  })
})
