import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../support/folder.ts'
import { asAfterCrash, logsIn } from './folder.ts'
import { create, pet, remove, replace, tableOfSize } from './model.ts'
import { open } from './opened.ts'
import { atEveryStep } from './steps.ts'

/** More pets than are written to the log. */
const MANY = 10_500

const foundIn = async (folder: string) => (await open(join(folder, 'db.json'))).found

/** Makes every replacement of the data file fail. */
function breakRename() {
  const rename = vi.spyOn(fs.promises, 'rename').mockRejectedValue(new Error('EIO: i/o error, rename'))
  onTestFinished(() => rename.mockRestore())
  return rename
}

test('after a crash while many pets are replaced, all confirmed changes are found, in every namespace', async () => {
  const folder = temporaryFolder()
  const { store, model, change } = await open(join(folder, 'db.json'))
  for (const namespace of ['default', 'w1']) await change(create(1, { namespace }))
  const confirmed = { replaced: false, many: 0, few: 1 }
  const moments: (typeof confirmed & { folder: string })[] = []
  let few = 1
  const adding: Promise<unknown>[] = []
  const add = () => {
    if (few >= 30) return
    adding.push(change(create(++few, { namespace: 'w1' })).then(() => confirmed.few++))
    adding.push(change(create(MANY + few)).then(() => confirmed.many++))
  }
  atEveryStep(() => {
    moments.push({ ...confirmed, folder: asAfterCrash(folder) })
    queueMicrotask(add)
  })
  await change(replace(tableOfSize(MANY))).then(() => {
    confirmed.replaced = true
  })
  few = 30
  await Promise.all(adding)
  await store.close(10_000)
  vi.restoreAllMocks()

  expect(moments.some(({ replaced }) => replaced)).toBe(true)
  // The other namespace does not wait.
  expect(moments.some(({ replaced, few }) => !replaced && few > 5)).toBe(true)
  for (const moment of moments) {
    const found = await foundIn(moment.folder)
    expect(found.get('w1')?.pets.pets.length).toBeGreaterThanOrEqual(moment.few)
    const { length } = found.get('default')?.pets.pets ?? []
    // The replacement is found completely or not at all, and later changes only with it.
    expect(length === 1 || length >= MANY).toBe(true)
    if (moment.replaced) expect(length).toBeGreaterThanOrEqual(MANY + moment.many)
    fs.rmSync(moment.folder, { recursive: true })
  }
  expect(await foundIn(folder)).toEqual(model.stored())
})

test('if the data file cannot be written, the change and later ones are undone; changes after that are kept', async () => {
  const folder = temporaryFolder()
  const { store, model, change } = await open(join(folder, 'db.json'))
  await change(create(1))
  await change(create(1, { namespace: 'w1' }))
  const before = model.storedOf('default')
  const rename = breakRename()
  const refused = [change(replace(tableOfSize(MANY)))]
  await new Promise((resolve) => setImmediate(resolve))
  refused.push(change(create(MANY + 1)))
  const kept = change(create(2, { namespace: 'w1' }))
  for (const each of refused) {
    await expect(each).rejects.toMatchObject({ status: 503, message: expect.stringContaining('EIO') })
  }
  await kept
  expect(model.storedOf('default')).toEqual(before)
  expect(await foundIn(asAfterCrash(folder))).toEqual(model.stored())
  // Before the next change, the log records that the replacement was undone.
  await change(create(2))
  expect(await foundIn(asAfterCrash(folder))).toEqual(model.stored())
  rename.mockRestore()
  await change(replace(tableOfSize(MANY)))
  await change(create(MANY + 1))
  expect(await foundIn(asAfterCrash(folder))).toEqual(model.stored())
  await store.close(10_000)
  expect(await foundIn(folder)).toEqual(model.stored())
})

test('while the disk is full, calls that wait for the data file do not repeat the warning', async () => {
  const { change, warnings } = await open(join(temporaryFolder(), 'db.json'))
  const full = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
    throw new Error('ENOSPC: no space left on device, write')
  })
  await expect(change(create(1))).rejects.toThrow('ENOSPC')
  await expect(change(replace(tableOfSize(MANY)))).rejects.toThrow('ENOSPC')
  await expect(change(create(1))).rejects.toThrow('ENOSPC')
  full.mockRestore()
  expect(warnings.filter((each) => each.startsWith('Changes are refused'))).toHaveLength(1)
})

test('if an earlier change cannot be written, later ones are undone first', async () => {
  const folder = temporaryFolder()
  const { model, change } = await open(join(folder, 'db.json'))
  await change(create(1))
  const before = model.stored()
  const write = vi.spyOn(fs, 'writeSync').mockImplementationOnce(() => {
    throw new Error('EIO: i/o error, write')
  })
  const refused = [change(create(2)), change(replace(tableOfSize(MANY)))]
  for (const each of refused) await expect(each).rejects.toMatchObject({ status: 503 })
  write.mockRestore()
  expect(model.stored()).toEqual(before)
  await change(create(2))
  expect(await foundIn(asAfterCrash(folder))).toEqual(model.stored())
})

test('after a crash before the data file was written, later changes of that namespace are possible again', async () => {
  const folder = temporaryFolder()
  const { change } = await open(join(folder, 'db.json'))
  await change(create(1))
  let crashed = ''
  vi.spyOn(fs.promises, 'rename').mockImplementation(async () => {
    crashed = asAfterCrash(folder)
    throw new Error('EIO: i/o error, rename')
  })
  onTestFinished(() => void vi.restoreAllMocks())
  await expect(change(replace(tableOfSize(MANY)))).rejects.toMatchObject({ status: 503 })
  vi.restoreAllMocks()
  const next = await open(join(crashed, 'db.json'))
  expect(next.found.get('default')?.pets.pets).toEqual([pet(1)])
  await next.change(create(2))
  const again = await open(join(asAfterCrash(crashed), 'db.json'))
  expect(again.found).toEqual(next.model.stored())
  await again.change(create(3))
  await again.store.close(10_000)
})

test('calls that wait at the same time share one rewrite', async () => {
  const folder = temporaryFolder()
  const { change } = await open(join(folder, 'db.json'))
  const rename = vi.spyOn(fs.promises, 'rename')
  onTestFinished(() => rename.mockRestore())
  const first = change(replace(tableOfSize(MANY), 'w0'))
  await new Promise((resolve) => setImmediate(resolve))
  const rest = Array.from({ length: 20 }, (_, n) => change(replace(tableOfSize(MANY), `w${n}`)))
  await Promise.all([first, ...rest])
  expect(rename.mock.calls.length).toBeLessThanOrEqual(2)
})

test('a replacement by few pets needs no rewrite, in any number of namespaces', async () => {
  const folder = temporaryFolder()
  const { model, change } = await open(join(folder, 'db.json'))
  const write = vi.spyOn(fs, 'writeSync')
  onTestFinished(() => write.mockRestore())
  await Promise.all(Array.from({ length: 200 }, (_, n) => change(replace(tableOfSize(12), `w${n}`))))
  expect(write).toHaveBeenCalledOnce()
  expect(fs.existsSync(join(folder, 'db.json.tmp'))).toBe(false)
  expect(await foundIn(asAfterCrash(folder))).toEqual(model.stored())
})

test('pets that many namespaces begin with are written once, and need no rewrite', async () => {
  const folder = temporaryFolder()
  const { model, change } = await open(join(folder, 'db.json'))
  const write = vi.spyOn(fs, 'writeSync')
  const rename = vi.spyOn(fs.promises, 'rename')
  onTestFinished(() => void vi.restoreAllMocks())
  const table = tableOfSize(1000)
  await Promise.all(Array.from({ length: 200 }, (_, n) => change(replace(table, `w${n}`))))
  expect(write).toHaveBeenCalledOnce()
  expect(rename).not.toHaveBeenCalled()
  const crashed = asAfterCrash(folder)
  expect(fs.statSync(join(crashed, 'db.json.0.log')).size).toBeLessThan(100_000)
  // Later changes of one namespace do not affect the others.
  await change(create(1001, { namespace: 'w7' }))
  await change(remove(1, { namespace: 'w8' }))
  expect(await foundIn(asAfterCrash(folder))).toEqual(model.stored())
})

test('the number of changes that wait for a slow disk is limited; later changes are accepted again', async () => {
  const folder = temporaryFolder()
  const { model, change } = await open(join(folder, 'db.json'))
  const { rename } = fs.promises
  const slow = resolvers()
  vi.spyOn(fs.promises, 'rename').mockImplementation(async (from, to) => {
    await slow.promise
    await rename(from, to)
  })
  onTestFinished(() => void vi.restoreAllMocks())
  const waiting = [change(replace(tableOfSize(MANY)))]
  const big = (id: number) => ({
    ...create(id),
    json: JSON.stringify({ ...pet(id), name: 'x'.repeat(200_000) }),
  })
  let refused: unknown
  for (let id = MANY + 1; id <= MANY + 600 && !refused; id++) {
    const written = change(big(id) as never)
    waiting.push(written)
    written.catch((error) => {
      refused = error
    })
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(refused).toMatchObject({ status: 503, headers: ['Retry-After', '1'] })
  expect(waiting.length).toBeLessThan(120)
  await change(create(1, { namespace: 'w1' })).catch(() => {})
  slow.resolve(undefined)
  await Promise.all(waiting.slice(0, -1))
  await change(create(1, { namespace: 'w2' }))
  expect(model.storedOf('default')?.pets.pets.length).toBe(MANY + waiting.length - 2)
})

test('neither the temporary file nor a file of the log is written through a link', async () => {
  const folder = temporaryFolder()
  const victim = join(temporaryFolder(), 'victim')
  fs.writeFileSync(victim, '')
  const { store, change } = await open(join(folder, 'db.json'))
  for (const name of ['db.json.tmp', 'db.json.0.log']) fs.symlinkSync(victim, join(folder, name))
  await expect(change(create(1))).rejects.toMatchObject({ status: 503 })
  fs.rmSync(join(folder, 'db.json.0.log'))
  await change(create(1))
  await store.close(10_000)
  expect(fs.readFileSync(victim, 'utf8')).toBe('')
  expect(fs.lstatSync(join(folder, 'db.json')).isFile()).toBe(true)
  expect(logsIn(folder)).toEqual([])
})

test('a data file with a second hard link is refused, since the lock is beside one of them', async () => {
  const folder = temporaryFolder()
  const { store, change } = await open(join(folder, 'db.json'))
  await change(create(1))
  await store.close(10_000)
  const held = await open(join(folder, 'db.json'))
  fs.linkSync(join(folder, 'db.json'), join(folder, 'other.json'))
  await expect(open(join(folder, 'other.json'))).rejects.toThrow('it has 2 names (hard links)')
  await held.change(create(2))
  await held.store.close(10_000)
  expect((await foundIn(folder)).get('default')?.pets.pets).toHaveLength(2)
})

test('a log whose second half is zeros is refused, since confirmed changes are missing', async () => {
  const folder = temporaryFolder()
  const { change } = await open(join(folder, 'db.json'))
  for (let id = 1; id <= 20; id++) await change(create(id))
  const crashed = asAfterCrash(folder)
  const log = join(crashed, logsIn(crashed)[0] as string)
  const bytes = fs.readFileSync(log)
  for (const keep of [Math.floor(bytes.length / 2), bytes.lastIndexOf('\n', bytes.length / 2) + 1]) {
    fs.writeFileSync(log, Buffer.concat([bytes.subarray(0, keep), Buffer.alloc(bytes.length - keep)]))
    await expect(open(join(crashed, 'db.json'))).rejects.toThrow('only zeros follow')
  }
})

function resolvers() {
  let resolve!: (value: unknown) => void
  const promise = new Promise((settled) => {
    resolve = settled
  })
  return { promise, resolve }
}
