import fs from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../support/folder.ts'
import { asAfterCrash, contentOf, logsIn } from './folder.ts'
import { create, type Plain, pet, replace, tableOfSize } from './model.ts'
import { type Opened, open } from './opened.ts'
import { atEveryStep } from './steps.ts'

afterEach(() => {
  vi.useRealTimers()
  // After a test that ran out of time, too: its mocks must not fail the next ones.
  vi.restoreAllMocks()
})

const PATIENT = { timeout: 60_000, interval: 5 }

/** Advances the time until the data file is rewritten. */
async function quiet(folder: string): Promise<void> {
  vi.advanceTimersByTime(60_000)
  await vi.waitFor(() => expect(logsIn(folder)).toEqual([]), PATIENT)
}

const foundIn = async (folder: string): Promise<Plain> => {
  const { store, found, warnings } = await open(join(folder, 'db.json'))
  expect(warnings).toEqual([])
  await store.close(0)
  return found
}

test.each([
  ['while nothing else happens', 0],
  ['while pets are added', 60],
])('after a crash during a rewrite %s, every confirmed pet is found, and no other', async (_, more) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const folder = temporaryFolder()
  const { store, model, change } = await open(join(folder, 'db.json'))
  let [sent, confirmed] = [20_000, 20_000]
  const add = (): Promise<void> => {
    sent++
    return change(create(sent)).then(() => {
      confirmed++
    })
  }
  await change(replace(tableOfSize(20_000)))
  await quiet(folder)
  await Promise.all([add(), add(), add()])

  const moments: { folder: string; sent: number; confirmed: number }[] = []
  const adding: Promise<void>[] = []
  let last = sent + more
  const [outgrown] = logsIn(folder)
  atEveryStep(() => {
    moments.push({ folder: asAfterCrash(folder), sent, confirmed })
    // After the synchronous work of the store.
    queueMicrotask(() => sent < last && adding.push(add()))
  })
  vi.advanceTimersByTime(60_000)
  await vi.waitFor(() => expect(logsIn(folder)).not.toContain(outgrown), PATIENT)
  last = 0
  vi.restoreAllMocks()
  await Promise.all(adding)
  await store.close(10_000)

  expect(moments.length).toBeGreaterThan(15)
  expect(moments.some((moment) => fs.existsSync(join(moment.folder, 'db.json.tmp')))).toBe(true)
  expect(moments.some((moment) => logsIn(moment.folder).length === 2)).toBe(more > 0)
  for (const moment of moments) {
    const table = (await foundIn(moment.folder)).get('default')?.pets
    const size = table?.pets.length ?? 0
    expect(size).toBeGreaterThanOrEqual(moment.confirmed)
    expect(size).toBeLessThanOrEqual(moment.sent)
    expect(table).toEqual(tableOfSize(size))
    expect(fs.existsSync(join(moment.folder, 'db.json.tmp'))).toBe(false)
  }
  expect(await foundIn(folder)).toEqual(model.stored())
  expect(model.stored().get('default')?.pets).toEqual(tableOfSize(sent))
})

test('a log that has outgrown the data file is dropped without waiting for quiet', async () => {
  // Changes without pauses.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const folder = temporaryFolder()
  const { change } = await open(join(folder, 'db.json'))
  const big = { ...pet(1), name: 'x'.repeat(100_000) }
  for (let id = 1; id <= 50; id++)
    await change({ ...create(id), pet: { ...big, id }, json: JSON.stringify({ ...big, id }) } as never)
  const sizeOf = (name: string) => fs.statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  await expect.poll(() => sizeOf('db.json'), PATIENT).toBeGreaterThan(1024 * 1024)
  const logs = () => logsIn(folder).reduce((sum, name) => sum + sizeOf(name), 0)
  await expect.poll(logs, PATIENT).toBeLessThan(5_000_000)
})

test('while the data file cannot be written, the log keeps all changes, and the write is repeated', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const folder = temporaryFolder()
  const { store, model, change, warnings } = await open(join(folder, 'db.json'))
  await change(create(1))
  const rename = vi
    .spyOn(fs.promises, 'rename')
    .mockRejectedValue(new Error('ENOSPC: no space left on device'))
  for (let attempt = 1; attempt <= 3; attempt++) {
    vi.advanceTimersByTime(60_000)
    await vi.waitFor(() => expect(rename).toHaveBeenCalledTimes(attempt), PATIENT)
    // Advancing the time before the next attempt is planned would have no effect.
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), PATIENT)
    expect(fs.existsSync(join(folder, 'db.json.tmp'))).toBe(false)
    await change(create(attempt + 1))
  }
  expect(warnings).toEqual([expect.stringContaining('db.json could not be written: ENOSPC')])
  expect(await foundIn(asAfterCrash(folder))).toEqual(model.stored())

  rename.mockRestore()
  await quiet(folder)
  expect(await foundIn(asAfterCrash(folder))).toEqual(model.stored())
  await store.close(0)
})

test('an older log that cannot be removed does not count as a data file that could not be written', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const folder = temporaryFolder()
  const { store, change, warnings } = await open(join(folder, 'db.json'))
  await change(create(1))
  const rm = vi.spyOn(fs.promises, 'rm').mockImplementation(async (path) => {
    if (String(path).endsWith('.log')) throw new Error('EPERM: operation not permitted, unlink')
  })
  vi.advanceTimersByTime(60_000)
  await vi.waitFor(() => expect(warnings.length).toBe(1), PATIENT)
  expect(warnings[0]).toContain('Files of the log that are no longer needed could not be removed: EPERM')
  expect(warnings[0]).toContain('Nothing is lost')
  rm.mockRestore()
  await store.close(1000)
})

test('a close without time to write keeps the log, which the next start reads', async () => {
  const folder = temporaryFolder()
  const { store, model, change, warnings } = await open(join(folder, 'db.json'))
  await change(replace(tableOfSize(500)))
  const waiting = change(create(501))
  await store.close(0)
  await waiting
  // No scheduled work touches the files afterwards.
  await new Promise((resolve) => setImmediate(resolve))
  expect(warnings).toEqual([])
  expect(fs.readdirSync(folder)).toEqual(['db.json.0.log'])
  expect(await foundIn(folder)).toEqual(model.stored())
})

test('a close during a write of the data file keeps the log instead', async () => {
  const folder = temporaryFolder()
  const { store, model, change } = await open(join(folder, 'db.json'))
  await change(replace(tableOfSize(100_000)))
  await change(create(100_001))
  const replaced = expect(change(replace(tableOfSize(20_000), 'w1'))).rejects.toMatchObject({ status: 503 })
  await vi.waitFor(() => expect(fs.existsSync(join(folder, 'db.json.tmp'))).toBe(true), {
    ...PATIENT,
    interval: 1,
  })
  await store.close(1)
  await replaced
  expect(fs.readdirSync(folder)).toEqual(['db.json', 'db.json.1.log'])
  expect([...model.stored().keys()]).toEqual(['default'])
  expect(await foundIn(folder)).toEqual(model.stored())
})

test('without changes nothing is written', async () => {
  const folder = temporaryFolder()
  const first: Opened = await open(join(folder, 'db.json'))
  await first.change(create(1))
  await first.store.close(10_000)
  const before = contentOf(folder)
  const modified = fs.statSync(join(folder, 'db.json')).mtimeMs
  const second = await open(join(folder, 'db.json'))
  await second.store.close(10_000)
  expect(contentOf(folder)).toEqual(before)
  expect(fs.statSync(join(folder, 'db.json')).mtimeMs).toBe(modified)
})
