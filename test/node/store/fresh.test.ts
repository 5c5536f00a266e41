import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../support/folder.ts'
import { asAfterCrash, contentOf, logsIn } from './folder.ts'
import { create, replace, tableOfSize } from './model.ts'
import { open } from './opened.ts'
import { atEveryStep } from './steps.ts'

/** A data file with two pets, and a log with a third. */
async function used(): Promise<string> {
  const folder = temporaryFolder()
  const first = await open(join(folder, 'db.json'))
  await first.change(replace(tableOfSize(2)))
  await first.store.close(10_000)
  const second = await open(join(folder, 'db.json'))
  await second.change(create(3))
  return asAfterCrash(folder)
}

test('a fresh start finds nothing, and keeps the existing files until the first change', async () => {
  const folder = await used()
  const before = contentOf(folder)
  const { store, found } = await open(join(folder, 'db.json'), { fresh: true })
  expect(found.size).toBe(0)
  await store.close(10_000)
  expect(contentOf(folder)).toEqual(before)
  expect((await open(join(folder, 'db.json'))).found.get('default')?.pets).toEqual(tableOfSize(3))
})

test('from its first change, only changes after it are found, also after a crash', async () => {
  const folder = await used()
  const { model, change } = await open(join(folder, 'db.json'), { fresh: true })
  await change(create(1, { namespace: 'w1' }))
  const crashed = asAfterCrash(folder)
  expect(fs.readFileSync(join(crashed, 'db.json'), 'utf8')).not.toContain('Pet 2')
  const next = await open(join(crashed, 'db.json'))
  expect(next.found).toEqual(model.stored())
  // Changes continue there after every crash.
  await next.change(create(2, { namespace: 'w1' }))
  expect((await open(join(asAfterCrash(crashed), 'db.json'))).found).toEqual(next.model.stored())
})

test('after a crash during the write of the new data file, the old state is found only if nothing was confirmed', async () => {
  const folder = await used()
  const { store, model, change } = await open(join(folder, 'db.json'), { fresh: true })
  const moments: { folder: string; confirmed: number }[] = []
  let confirmed = 0
  atEveryStep(() => moments.push({ folder: asAfterCrash(folder), confirmed }))
  // The second change comes while the file with the first one is written.
  const first = change(create(1, { namespace: 'w1' })).then(() => void confirmed++)
  await new Promise((resolve) => setImmediate(resolve))
  await Promise.all([first, change(create(2, { namespace: 'w1' })).then(() => void confirmed++)])
  await store.close(10_000)
  vi.restoreAllMocks()
  expect(moments.length).toBeGreaterThan(15)
  expect(new Set(moments.map((moment) => moment.confirmed))).toEqual(new Set([0, 2]))
  for (const moment of moments) {
    const { found } = await open(join(moment.folder, 'db.json'))
    const isOld = found.has('default')
    expect(isOld && moment.confirmed > 0).toBe(false)
    if (isOld) expect(found.get('default')?.pets).toEqual(tableOfSize(3))
    else expect(found.get('w1')?.pets.pets.length).toBeGreaterThanOrEqual(moment.confirmed)
  }
  expect((await open(join(folder, 'db.json'))).found).toEqual(model.stored())
})

test('the new data file replaces the old one and its log', async () => {
  const folder = await used()
  const { store, model, change } = await open(join(folder, 'db.json'), { fresh: true })
  await change(create(1, { namespace: 'w1' }))
  await store.close(10_000)
  expect(fs.readdirSync(folder)).toEqual(['db.json'])
  expect((await open(join(folder, 'db.json'))).found).toEqual(model.stored())
})

test('a log that is older than the data file is ignored, even if it could not be removed', async () => {
  const folder = await used()
  const first = await open(join(folder, 'db.json'), { fresh: true })
  const rm = vi.spyOn(fs.promises, 'rm').mockRejectedValue(new Error('EACCES: permission denied, rm'))
  await first.change(create(1))
  await first.store.close(10_000)
  rm.mockRestore()
  expect(logsIn(folder)).toHaveLength(1)
  const second = await open(join(folder, 'db.json'))
  expect(second.found).toEqual(first.model.stored())
  await second.change(create(2))
  await second.store.close(10_000)
  expect(fs.readdirSync(folder)).toEqual(['db.json'])
  expect((await open(join(folder, 'db.json'))).found).toEqual(second.model.stored())
})

test('a failed first change keeps the old state', async () => {
  const folder = await used()
  const before = contentOf(folder)
  const { store, model, change } = await open(join(folder, 'db.json'), { fresh: true })
  vi.spyOn(fs.promises, 'rename').mockRejectedValue(new Error('ENOSPC: no space left on device'))
  const refused = [
    change(create(1)),
    new Promise((resolve) => setImmediate(resolve)).then(() => change(create(2))),
  ]
  for (const each of refused) await expect(each).rejects.toMatchObject({ code: 'service_unavailable' })
  expect(model.stored()).toEqual(new Map())
  vi.restoreAllMocks()
  expect((await open(join(asAfterCrash(folder), 'db.json'))).found.get('default')?.pets).toEqual(
    tableOfSize(3),
  )
  await store.close(10_000)
  expect(contentOf(folder)).toEqual(before)
})

test('a start with fresh replaces a data file that cannot be read', async () => {
  const folder = await used()
  fs.writeFileSync(join(folder, 'db.json'), '{ "version": 1, "seq": 2, "namespaces": { oops')
  fs.appendFileSync(join(folder, logsIn(folder)[0] as string), 'garbage\n')
  await expect(open(join(folder, 'db.json'))).rejects.toThrow('--fresh')
  const { model, change } = await open(join(folder, 'db.json'), { fresh: true })
  await change(create(1))
  expect((await open(join(asAfterCrash(folder), 'db.json'))).found).toEqual(model.stored())
})

test('a start with fresh replaces a data file that an editor saved as UTF-16', async () => {
  const file = join(await used(), 'db.json')
  for (const log of logsIn(join(file, '..'))) fs.rmSync(join(file, '..', log))
  fs.writeFileSync(file, Buffer.from('\uFEFF{ "version": 1, "namespaces": {} }', 'utf16le'))
  const message = 'this is UTF-16 text; save it as UTF-8'
  await expect(open(file)).rejects.toThrow(new RegExp(`${message}.* Correct the file, .*--fresh`))
  await open(file, { fresh: true })
})

test.each(['{"name":"app","version":"1.0.0"}', 'petstore', '\x7fELF'])(
  'it replaces no file that is not a data file: %j',
  async (text) => {
    const folder = temporaryFolder()
    fs.writeFileSync(join(folder, 'package.json'), text)
    const before = contentOf(folder)
    const start = open(join(folder, 'package.json'), { fresh: true })
    await expect(start).rejects.toThrow(
      /is not a data file of petstore-sandbox.* give a file of pets with --fixture/,
    )
    expect(contentOf(folder)).toEqual(before)
  },
)
