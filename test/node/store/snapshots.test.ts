import fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { createMemoryStore } from '../../../src/world/memory-store.ts'
import { Pets } from '../../../src/world/pets/collection.ts'
import type { FixtureKey } from '../../../src/world/pets/fixture.ts'
import type { SnapshotContent, Store } from '../../../src/world/store.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { asAfterCrash } from './folder.ts'
import { pet, tableOfSize } from './model.ts'
import { open } from './opened.ts'

const AT = Date.parse('2026-11-19T12:34:56.789Z')
const keys: FixtureKey[] = [{ key: 'psk_mine', plan: 'pro', expiresAt: '2030-12-05T00:00:00.000Z' }]
const content = (size: number): SnapshotContent => ({ pets: new Pets(tableOfSize(size)), keys })

describe.each<[string, () => Promise<Store>]>([
  ['memory', async () => createMemoryStore()],
  ['file', async () => (await open(join(temporaryFolder(), 'db.json'))).store],
])('snapshots in a %s store', (_, make) => {
  test('are saved, listed, read and deleted, separately for each namespace', async () => {
    const { snapshots } = await make()
    expect(await snapshots.save('default', 'later', content(3), AT + 1)).toEqual({
      name: 'later',
      at: AT + 1,
      pets: 3,
    })
    await snapshots.save('default', 'before-sale', content(2), AT)
    await snapshots.save('w1', 'later', content(0), AT)
    expect(await snapshots.list('default')).toEqual([
      { name: 'before-sale', at: AT, pets: 2 },
      { name: 'later', at: AT + 1, pets: 3 },
    ])
    expect(await snapshots.read('default', 'later')).toEqual({ ...tableOfSize(3), keys })
    expect(await snapshots.read('w1', 'before-sale')).toBeUndefined()
    expect(await snapshots.list('nobody')).toEqual([])
    expect(await snapshots.delete('default', 'later')).toBe(true)
    expect(await snapshots.delete('default', 'later')).toBe(false)
    expect((await snapshots.list('default')).map(({ name }) => name)).toEqual(['before-sale'])
    expect(await snapshots.read('w1', 'later')).toEqual({ pets: [], nextId: 1, keys })
  })

  test('replace one with the same name; names are case-sensitive', async () => {
    const { snapshots } = await make()
    await Promise.all([
      snapshots.save('default', 'kit', content(1), AT),
      snapshots.save('default', 'Kit', content(2), AT + 1),
      snapshots.save('default', 'kit', content(3), AT + 2),
    ])
    expect(await snapshots.list('default')).toEqual([
      { name: 'Kit', at: AT + 1, pets: 2 },
      { name: 'kit', at: AT + 2, pets: 3 },
    ])
  })

  test('contain the state at the time of the save, with every digit', async () => {
    const { snapshots } = await make()
    const pets = new Pets(tableOfSize(2))
    pets.put(pet(9007199254740993n))
    pets.delete(1)
    const saved = snapshots.save('default', 'a', { pets: pets.copy(), keys: [] }, AT)
    pets.put(pet(9007199254740995n))
    pets.put(pet(2, 'Kit'))
    await saved
    expect(await snapshots.read('default', 'a')).toEqual({
      pets: [pet(2), pet(9007199254740993n)],
      nextId: 9007199254740994n,
      keys: [],
    })
  })

  test('are deleted with their namespace', async () => {
    const { snapshots, append, durable } = await make()
    await snapshots.save('w1', 'a', content(1), AT)
    await snapshots.save('w2', 'a', content(1), AT)
    expect(snapshots.namespaces()).toEqual(['w1', 'w2'])
    append({ op: 'drop', namespace: 'w1' }, () => {})
    await durable('w1')
    expect(await snapshots.list('w1')).toEqual([])
    expect(await snapshots.list('w2')).toHaveLength(1)
    expect(snapshots.namespaces()).toEqual(['w2'])
  })
})

test('a save that comes after the end says so, and not that the lock was removed', async () => {
  const { store } = await open(join(temporaryFolder(), 'db.json'))
  await store.close(0)
  await expect(store.snapshots.save('default', 'late', content(1), AT)).rejects.toThrow(
    'The snapshot late could not be saved. The sandbox is shutting down.',
  )
})

test('a save says why its folder could not be created', async () => {
  const { store } = await open(join(temporaryFolder(), 'db.json'))
  vi.spyOn(fs, 'mkdirSync').mockImplementation(() => {
    throw Object.assign(new Error('EROFS: read-only file system, mkdir'), { code: 'EROFS' })
  })
  await expect(store.snapshots.save('default', 'a', content(1), AT)).rejects.toThrow(
    'The snapshot a could not be saved. EROFS: read-only file system',
  )
  vi.restoreAllMocks()
})

test('a snapshot is a fixture file beside the data file, and survives a restart', async () => {
  const folder = temporaryFolder()
  const { store } = await open(join(folder, 'db.json'))
  await store.snapshots.save('Worker-1', 'Sale', content(2), AT)
  await store.close(0)
  expect(fs.readFileSync(join(folder, 'db.snapshots', '~worker-1', '~sale.json'), 'utf8')).toBe(`{
  "pets": [
    {"id":1,"name":"Pet 1","categoryId":1},
    {"id":2,"name":"Pet 2","categoryId":1}
  ],
  "nextId": 3,
  "keys": [
    {"key":"psk_mine","plan":"pro","expiresAt":"2030-12-05T00:00:00.000Z"}
  ]
}
`)
  const { store: next } = await open(join(folder, 'db.json'))
  expect(next.snapshots.namespaces()).toEqual(['Worker-1'])
  expect(await next.snapshots.list('Worker-1')).toEqual([{ name: 'Sale', at: AT, pets: 2 }])
  await next.snapshots.delete('Worker-1', 'Sale')
  expect(next.snapshots.namespaces()).toEqual([])
})

test('no name leads out of the folder', async () => {
  const { store } = await open(join(temporaryFolder(), 'db.json'))
  for (const name of ['../db', 'a/b', '', '.', 'a'.repeat(65)]) {
    await expect(store.snapshots.read('default', name)).rejects.toMatchObject({ code: 'invalid_parameter' })
    await expect(store.snapshots.save(name, 'a', content(1), AT)).rejects.toMatchObject({
      code: 'invalid_parameter',
    })
  }
})

test('a damaged snapshot is refused with its line; a failed save keeps the old one', async () => {
  const folder = temporaryFolder()
  const { store } = await open(join(folder, 'db.json'))
  const path = join(folder, 'db.snapshots', 'default', 'a.json')
  await store.snapshots.save('default', 'a', content(1), AT)

  const rename = vi
    .spyOn(fs.promises, 'rename')
    .mockRejectedValueOnce(new Error('ENOSPC: no space left on device'))
  await expect(store.snapshots.save('default', 'a', content(2), AT)).rejects.toMatchObject({
    code: 'service_unavailable',
    message: expect.stringContaining('ENOSPC'),
  })
  rename.mockRestore()
  expect(fs.readdirSync(join(path, '..'))).toEqual(['a.json'])
  expect((await store.snapshots.read('default', 'a'))?.pets).toHaveLength(1)

  fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace('"name":"Pet 1"', '"name":1'))
  await expect(store.snapshots.read('default', 'a')).rejects.toMatchObject({
    code: 'conflict',
    message: `The snapshot a cannot be read. ${path}, line 3: pets[0].name must be a string, not 1`,
  })
})

test('snapshots of a namespace that was dropped just before a kill are not found; later ones are', async () => {
  const folder = temporaryFolder()
  const { store, change } = await open(join(folder, 'db.json'))
  await store.snapshots.save('w1', 'old', content(1), Date.now() - 1000)
  await store.snapshots.save('w1', 'new', content(1), Date.now() + 60_000)
  const dropped = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(dropped)
  await store.snapshots.save('w1', 'at_once', content(1), dropped)
  // The kill happens after the drop is in the log, before the snapshots are removed.
  vi.spyOn(fs, 'rmSync').mockImplementationOnce(() => {})
  await change({ op: 'drop', namespace: 'w1' })
  const crashed = asAfterCrash(folder)
  vi.restoreAllMocks()
  const { store: next } = await open(join(crashed, 'db.json'))
  expect((await next.snapshots.list('w1')).map(({ name }) => name)).toEqual(['at_once', 'new'])
})

test('an unreadable folder causes the error service_unavailable', async () => {
  const folder = temporaryFolder()
  const { store } = await open(join(folder, 'db.json'))
  fs.writeFileSync(join(folder, 'db.snapshots'), 'no folder')
  const refusal = { name: 'ApiError', code: 'service_unavailable' }
  await expect(store.snapshots.list('w1')).rejects.toMatchObject(refusal)
  await expect(store.snapshots.save('w1', 'a', content(1), AT)).rejects.toMatchObject(refusal)
  await expect(store.snapshots.delete('w1', 'a')).rejects.toMatchObject(refusal)
})

test('a snapshot that cannot be read for a moment is not missing in a list, and no mistake of the client', async () => {
  const file = join(temporaryFolder(), 'db.json')
  const { store } = await open(file)
  await store.snapshots.save('default', 'a', content(1), AT)
  await store.close(1000)
  const { store: next } = await open(file)
  const refusal = { code: 'service_unavailable', message: expect.stringContaining('EMFILE') }
  vi.spyOn(fs.promises, 'readFile').mockRejectedValue(
    Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' }),
  )
  await expect(next.snapshots.list('default')).rejects.toMatchObject(refusal)
  await expect(next.snapshots.read('default', 'a')).rejects.toMatchObject(refusal)
  vi.restoreAllMocks()
  expect(await next.snapshots.list('default')).toHaveLength(1)
})

test('db and db.json in one folder have separate snapshots', async () => {
  const folder = temporaryFolder()
  const { store } = await open(join(folder, 'db'))
  const { store: other } = await open(join(folder, 'db.json'))
  await store.snapshots.save('default', 'a', content(1), AT)
  expect(await other.snapshots.list('default')).toEqual([])
})

test('one that cannot be read, and files of others, keep no other snapshot from being used', async () => {
  const folder = temporaryFolder()
  const { store } = await open(join(folder, 'db.json'))
  const { snapshots } = store
  for (const name of ['a', 'b']) await snapshots.save('default', name, content(1), AT)
  const inside = join(folder, 'db.snapshots/default')
  fs.writeFileSync(join(inside, 'b.json'), '{bad')
  fs.writeFileSync(join(inside, 'a (copy).json'), '{}')
  expect((await snapshots.list('default')).map(({ name }) => name)).toEqual(['a'])
  await expect(snapshots.read('default', 'b')).rejects.toThrow('The snapshot b cannot be read.')
  expect(await snapshots.delete('default', 'b')).toBe(true)
})

test('an issued key is one after its snapshot was restored', async () => {
  const { store } = await open(join(temporaryFolder(), 'db.json'))
  const issued = [{ key: 'psk_mine', plan: 'pro' as const, issued: true as const }]
  await store.snapshots.save('default', 'a', { pets: new Pets(tableOfSize(1)), keys: issued }, AT)
  expect((await store.snapshots.read('default', 'a'))?.keys).toEqual(issued)
})

test('nothing is remembered of a deleted snapshot, nor of one whose namespace was dropped', async () => {
  const folder = temporaryFolder()
  const { store } = await open(join(folder, 'db.json'))
  const { snapshots, append, durable } = store
  const gone = {
    w1: () => snapshots.delete('w1', 'a'),
    w2: async () => {
      append({ op: 'drop', namespace: 'w2' }, () => {})
      await durable('w2')
    },
  }
  for (const [name, remove] of Object.entries(gone)) {
    const path = join(folder, 'db.snapshots', name, 'a.json')
    const kept = join(folder, `${name}.json`)
    await snapshots.save(name, 'a', content(3), AT)
    fs.linkSync(path, kept)
    await remove()
    await expect.poll(() => fs.existsSync(path)).toBe(false)
    // The same file with as many bytes, but without a pet.
    const text = fs.readFileSync(kept, 'utf8')
    fs.writeFileSync(
      kept,
      text.replace(/,\s*\{"id":3.*/, (pet) => ' '.repeat(pet.length)),
    )
    fs.utimesSync(kept, AT / 1000, AT / 1000)
    fs.mkdirSync(join(folder, 'db.snapshots', name), { recursive: true })
    fs.renameSync(kept, path)
    expect(await snapshots.list(name)).toEqual([{ name: 'a', at: AT, pets: 2 }])
  }
  await store.close(0)
})
