import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { StoredKey } from '../../../src/world/store.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { asAfterCrash } from './folder.ts'
import { create, remove, replace, tableOfSize, update } from './model.ts'
import { open } from './opened.ts'

const keys: StoredKey[] = [
  { key: 'psk_mine', plan: 'pro', expiresAt: '2030-12-05T00:00:00.000Z', issued: true },
  { key: 'psk_free', plan: 'free', revoked: true },
]

test('a confirmed change is found after a crash and after a regular close', async () => {
  const folder = temporaryFolder()
  const { store, found, model, change } = await open(join(folder, 'db.json'))
  expect(found.size).toBe(0)
  await change(replace(tableOfSize(3), 'default', keys))
  await change(create(4))
  await change(create(9007199254740993n))
  await change(create(1, { collection: 'empty' }))
  await change(create(1, { namespace: '__proto__' }))
  await change({ op: 'keys', namespace: 'worker-1', keys })
  await change(replace(tableOfSize(2), 'gone'))
  await change({ op: 'drop', namespace: 'gone' })

  const crashed = await open(join(asAfterCrash(folder), 'db.json'))
  expect(crashed.found).toEqual(model.stored())
  expect(crashed.warnings).toEqual([])

  await store.close(10_000)
  expect(fs.readdirSync(folder)).toEqual(['db.json'])
  const reopened = await open(join(folder, 'db.json'))
  expect(reopened.found).toEqual(model.stored())
  expect(reopened.found.get('default')?.pets.nextId).toBe(9007199254740994n)
})

test('the data file is readable JSON with one pet per line and every digit', async () => {
  const folder = temporaryFolder()
  const { store, change } = await open(join(folder, 'db.json'), { newMark: 1 })
  await change(replace(tableOfSize(1), 'default', keys.slice(1)))
  await change(create(9007199254740993n))
  await change(replace(tableOfSize(0), 'w1'))
  await store.close(10_000)
  expect(fs.readFileSync(join(folder, 'db.json'), 'utf8')).toBe(`{
  "version": 1,
  "seq": 3,
  "mark": 3751943866,
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
  "checksum": 814936873
}
`)
})

test('the changes of one turn are written together, and applied in order', async () => {
  const folder = temporaryFolder()
  const { store, model, change } = await open(join(folder, 'db.json'))
  const write = vi.spyOn(fs, 'writeSync')
  const resolved: number[] = []
  const all = Array.from({ length: 50 }, (_, index) =>
    change(create(index + 1)).then(() => resolved.push(index)),
  )
  all.push(change(update(7, 'Kit')).then(() => resolved.push(50)))
  all.push(change(remove(8)).then(() => resolved.push(51)))
  await Promise.resolve()
  expect(write).not.toHaveBeenCalled()
  expect(resolved).toEqual([])
  await Promise.all(all)
  expect(write).toHaveBeenCalledTimes(1)
  expect(resolved).toEqual([...Array(52).keys()])
  write.mockRestore()
  expect((await open(join(asAfterCrash(folder), 'db.json'))).found).toEqual(model.stored())
  await store.close(0)
})

test('the first data file is written without a further change', async () => {
  const folder = temporaryFolder()
  const { change } = await open(join(folder, 'db.json'))
  await change(create(1))
  await expect.poll(() => fs.readdirSync(folder).sort()).toEqual(['db.json', 'db.json.lock'])
})

test('a closed store refuses changes', async () => {
  const { store } = await open(join(temporaryFolder(), 'db.json'))
  await store.close(1000)
  const undo = vi.fn()
  const refused = expect.objectContaining({ code: 'service_unavailable' })
  expect(() => store.append(create(1), undo)).toThrow(refused)
  expect(undo).toHaveBeenCalledOnce()
})

test('a default folder is created with a .gitignore; another folder gets none', async () => {
  const folder = join(temporaryFolder(), 'project', '.petstore-sandbox')
  await open(join(folder, 'db.json'))
  expect(fs.readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n')
  const other = join(temporaryFolder(), 'data')
  await open(join(other, 'db.json'))
  expect(fs.readdirSync(other)).toEqual(['db.json.lock'])
})

test('a data file that another program replaced is kept as a backup when it is written', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'db.json')
  const { store, model, change, warnings } = await open(file)
  await change(create(1))
  await expect.poll(() => fs.existsSync(file)).toBe(true)
  const edited = fs.readFileSync(file, 'utf8').replace('Pet 1', 'Kit')
  fs.writeFileSync(`${file}.new`, edited)
  fs.renameSync(`${file}.new`, file)
  await change(create(2))
  await store.close(10_000)
  expect(fs.readdirSync(folder).sort()).toEqual(['db.json', 'db.json.bak'])
  expect(fs.readFileSync(`${file}.bak`, 'utf8')).toBe(edited)
  expect(warnings).toEqual([expect.stringContaining(`is kept as ${file}.bak`)])
  expect((await open(file)).found).toEqual(model.stored())
})

test('if another program removes the log, changes are refused until the data file contains everything', async () => {
  const folder = temporaryFolder()
  const { model, change, warnings } = await open(join(folder, 'db.json'))
  await change(replace(tableOfSize(3)))
  await change(create(4))
  fs.rmSync(join(folder, 'db.json.0.log'))
  await expect(change(create(5))).rejects.toMatchObject({ code: 'service_unavailable' })
  expect(warnings).toEqual([expect.stringContaining('db.json.0.log: it was removed')])
  await vi.waitFor(() => change(create(5)), 60_000)
  expect((await open(join(asAfterCrash(folder), 'db.json'))).found).toEqual(model.stored())
})

test('if its folder is moved away and a copy put back, changes are refused until the data file there contains everything', async () => {
  const folder = join(temporaryFolder(), 'data')
  const { model, change, warnings } = await open(join(folder, 'db.json'))
  await change(replace(tableOfSize(3)))
  await change(create(4))
  fs.renameSync(folder, `${folder}-moved`)
  fs.cpSync(`${folder}-moved`, folder, { recursive: true })
  await expect(change(create(5))).rejects.toMatchObject({ code: 'service_unavailable' })
  expect(warnings).toEqual([expect.stringContaining('db.json.0.log: it was removed or replaced')])
  await vi.waitFor(() => change(create(5)), 60_000)
  expect((await open(join(asAfterCrash(folder), 'db.json'))).found).toEqual(model.stored())
})

test('if another program empties the log, changes are refused until the data file contains everything', async () => {
  const folder = temporaryFolder()
  const { model, change } = await open(join(folder, 'db.json'))
  await change(replace(tableOfSize(3)))
  fs.truncateSync(join(folder, 'db.json.0.log'))
  await expect(change(create(4))).rejects.toMatchObject({ code: 'service_unavailable' })
  await vi.waitFor(() => change(create(4)), 60_000)
  expect((await open(join(asAfterCrash(folder), 'db.json'))).found).toEqual(model.stored())
})

test('if the first write to a log fails and somebody removes it, later changes are possible', async () => {
  const folder = temporaryFolder()
  const { model, change } = await open(join(folder, 'db.json'))
  const full = vi.spyOn(fs, 'writeSync').mockImplementationOnce(() => {
    throw new Error('ENOSPC: no space left on device, write')
  })
  await expect(change(create(1))).rejects.toThrow('ENOSPC')
  full.mockRestore()
  fs.rmSync(join(folder, 'db.json.0.log'))
  await vi.waitFor(() => change(create(1)), 60_000)
  expect((await open(join(asAfterCrash(folder), 'db.json'))).found).toEqual(model.stored())
})

test.skipIf(process.platform === 'win32')(
  'a pipe in the place of the data file is not waited for, while the sandbox runs',
  async () => {
    const file = join(temporaryFolder(), 'db.json')
    const { store, change, warnings } = await open(file)
    await change(replace(tableOfSize(3)))
    await vi.waitFor(() => expect(fs.existsSync(file)).toBe(true), 60_000)
    fs.rmSync(file)
    execFileSync('mkfifo', [file])
    await expect(change(replace(tableOfSize(10_500)))).rejects.toThrow(`${file}: it is not a regular file`)
    await change(create(4))
    expect(warnings).toEqual([
      expect.stringContaining(`${file} could not be written: it is not a regular file`),
    ])
    await store.close(1000)
  },
)

test.skipIf(process.platform === 'win32').each([
  ['db.json', 'Take another file (--db'],
  ['db.json.lock', 'Move it away'],
  ['db.json.0.log', 'Move it away'],
])('a pipe in the place of %s is refused, without waiting for it', async (name, advice) => {
  const folder = temporaryFolder()
  execFileSync('mkfifo', [join(folder, name)])
  await expect(open(join(folder, 'db.json'))).rejects.toThrow(
    `${join(folder, name)}: it is not a regular file. ${advice}`,
  )
  expect(fs.readdirSync(folder)).toEqual([name])
})
