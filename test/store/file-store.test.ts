import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { StoredKey } from '../../src/domain/world/stored.ts'
import { asAfterCrash, logsIn, temporaryFolder } from './folder.ts'
import { create, pet, replace, tableOfSize } from './model.ts'
import { open } from './opened.ts'

const keys: StoredKey[] = [
  { key: 'psk_mine', plan: 'pro', expiresAt: '2030-12-05T00:00:00.000Z', issued: true },
  { key: 'psk_free', plan: 'free', revoked: true },
]

test('a confirmed change is found after a crash, and after an orderly end', async () => {
  const folder = temporaryFolder()
  const { store, model, change } = await open(join(folder, 'db.json'))
  expect(store.found.size).toBe(0)
  await change(replace(tableOfSize(3), 'default', keys))
  await change(create(4))
  await change(create(9007199254740993n))
  await change(create(1, { shelf: 'empty' }))
  await change(create(1, { namespace: '__proto__' }))
  await change({ op: 'keys', namespace: 'worker-1', keys })
  await change(replace(tableOfSize(2), 'gone'))
  await change({ op: 'drop', namespace: 'gone' })

  const crashed = await open(join(asAfterCrash(folder), 'db.json'))
  expect(crashed.store.found).toEqual(model.stored())
  expect(crashed.warnings).toEqual([])

  await store.close(10_000)
  expect(fs.readdirSync(folder)).toEqual(['db.json'])
  const reopened = await open(join(folder, 'db.json'))
  expect(reopened.store.found).toEqual(model.stored())
  expect(reopened.store.found.get('default')?.pets.nextId).toBe(9007199254740994n)
})

test('the data file is readable JSON, one pet a line, every digit kept', async () => {
  const folder = temporaryFolder()
  const { store, change } = await open(join(folder, 'db.json'), { newMark: 1 })
  await change(replace(tableOfSize(1), 'default', keys.slice(1)))
  await change(create(9007199254740993n))
  await change(replace(tableOfSize(0), 'w1'))
  await store.close(10_000)
  expect(fs.readFileSync(join(folder, 'db.json'), 'utf8')).toBe(`{
  "version": 1,
  "seq": 5,
  "mark": 3790161450,
  "namespaces": {
    "default": {
      "pets": [
        {"id":1,"name":"Pet 1","categoryId":1},
        {"id":9007199254740993,"name":"Pet 9007199254740993","categoryId":1}
      ],
      "nextId": 9007199254740994,
      "keys": [
        {"key":"psk_free","plan":"free","revoked":true}
      ]
    },
    "w1": {
      "pets": [],
      "nextId": 1,
      "keys": []
    }
  },
  "checksum": 2744712145
}
`)
})

test('changes of one turn go out in one write, and take effect in their order', async () => {
  const folder = temporaryFolder()
  const { store } = await open(join(folder, 'db.json'))
  const write = vi.spyOn(fs, 'writeSync')
  const applied: number[] = []
  const resolved: number[] = []
  const all = Array.from({ length: 50 }, (_, index) =>
    store.append(create(index + 1), () => applied.push(index))?.then(() => resolved.push(index)),
  )
  expect(applied).toEqual([])
  await Promise.all(all)
  expect(write).toHaveBeenCalledTimes(1)
  expect(applied).toEqual([...Array(50).keys()])
  expect(resolved).toEqual(applied)
  write.mockRestore()
})

test('a large table is written once, and shared by all who were given it', async () => {
  const folder = temporaryFolder()
  const { change } = await open(join(folder, 'db.json'))
  const table = tableOfSize(5000)
  await Promise.all(Array.from({ length: 20 }, (_, worker) => change(replace(table, `w${worker}`))))
  const written = logsIn(folder).map((name) => fs.statSync(join(folder, name)).size)
  expect(written.reduce((sum, size) => sum + size)).toBeLessThan(2 * JSON.stringify(table).length)

  const { store } = await open(join(asAfterCrash(folder), 'db.json'))
  const tables = new Set([...store.found.values()].map(({ pets }) => pets))
  expect(tables.size).toBe(1)
  expect([...tables]).toEqual([table])
})

test('what comes after a long change waits for it, while the loop stays free', async () => {
  const folder = temporaryFolder()
  const { store, model, change } = await open(join(folder, 'db.json'))
  const table = tableOfSize(100_000)
  let turns = 0
  const count = (): void => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  const order: string[] = []
  await Promise.all([
    change(create(1, { namespace: 'w1' })).then(() => order.push('create 1')),
    change(replace(table)).then(() => order.push('replace')),
    change(create(100_001)).then(() => order.push('create 2')),
  ])
  clearImmediate(timer)
  expect(order).toEqual(['create 1', 'replace', 'create 2'])
  // Its text has more than 4 MB.
  expect(turns).toBeGreaterThan(10)
  expect(model.stored().get('default')?.pets.pets.at(-1)).toEqual(pet(100_001))
  expect((await open(join(asAfterCrash(folder), 'db.json'))).store.found).toEqual(model.stored())
  await store.close(10_000)
})

test('an error in what a change leads to reaches its sender, and nobody else', async () => {
  const { store, change } = await open(join(temporaryFolder(), 'db.json'))
  const failed = store.append(create(1), () => {
    throw new Error('a bug')
  })
  const next = change(create(2))
  await expect(failed).rejects.toThrow('a bug')
  await next
})

test('the first data file appears by itself', async () => {
  const folder = temporaryFolder()
  const { change } = await open(join(folder, 'db.json'))
  await change(create(1))
  await vi.waitFor(() => expect(fs.readdirSync(folder).sort()).toEqual(['db.json', 'db.json.lock']), 5000)
})

test('after its end a store refuses changes', async () => {
  const { store } = await open(join(temporaryFolder(), 'db.json'))
  await store.close(1000)
  await expect(store.append(create(1), () => {})).rejects.toMatchObject({ code: 'service_unavailable' })
})

test('a folder of our own is made, and keeps itself out of git', async () => {
  const folder = join(temporaryFolder(), 'project', '.petstore-sandbox')
  await open(join(folder, 'db.json'))
  expect(fs.readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n')
  const other = join(temporaryFolder(), 'data')
  await open(join(other, 'db.json'))
  expect(fs.readdirSync(other)).toEqual(['db.json.lock'])
})
