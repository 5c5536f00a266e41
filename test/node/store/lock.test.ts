import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { lock } from '../../../src/node/store/lock.ts'
import { startOf } from '../../../src/node/store/process-identity.ts'
import { Pets } from '../../../src/world/pets/collection.ts'
import { hasPart } from '../../parts.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { runChild } from './child.ts'
import { asAfterCrash, contentOf } from './folder.ts'
import { create, tableOfSize } from './model.ts'
import { open } from './opened.ts'

const isLinux = process.platform === 'linux'

test('a data file belongs to one process; another one gets an error that names it, with the remedy', async () => {
  const file = join(temporaryFolder(), 'db.json')
  const first = runChild('lock.child.ts', [file])
  expect(await first.line()).toBe('holds')
  await expect(open(file)).rejects.toMatchObject({ name: 'DataFileError', file })
  await expect(open(file)).rejects.toThrow(
    new RegExp(
      `${file}: it is in use by process ${first.process.pid} since .*--db, in code db.*--memory, createSandbox without db`,
    ),
  )
  first.process.stdin?.end()
  await first.ended
  expect(fs.readdirSync(join(file, '..'))).toEqual([])
  await open(file)
})

test('a data file can be opened only once, even by one process', async () => {
  const file = join(temporaryFolder(), 'db.json')
  const { store } = await open(file)
  await expect(open(file)).rejects.toThrow(
    new RegExp(`in use by process ${process.pid} \\(this one\\).* Close that sandbox, `),
  )
  await store.close(0)
  await open(file)
})

test('a link to the data file has the same lock, and stays a link', async () => {
  const folder = temporaryFolder()
  const [file, link] = [join(folder, 'db.json'), join(folder, 'link.json')]
  fs.writeFileSync(file, '{"version":1,"namespaces":{"default":{"pets":[]}}}')
  fs.symlinkSync('db.json', link)
  const { store, change } = await open(link)
  await expect(open(file)).rejects.toThrow('it is in use')
  const pet = { id: 1, name: 'Kit', categoryId: 1 }
  await change({ op: 'create', namespace: 'default', collection: 'pets', pet, json: JSON.stringify(pet) })
  await store.close(10_000)
  expect(fs.lstatSync(link).isSymbolicLink()).toBe(true)
  expect(fs.readFileSync(file, 'utf8')).toContain('Kit')
})

test('a failed start leaves no lock', async () => {
  const file = join(temporaryFolder(), 'db.json')
  fs.writeFileSync(file, 'no data file')
  await expect(open(file)).rejects.toThrow('not JSON')
  expect(fs.existsSync(`${file}.lock`)).toBe(false)
})

describe('the lock of a holder that no longer runs is replaced', () => {
  test.each<[string, () => object | string]>([
    ['its process was killed', () => ({ pid: 2 ** 22 + 1, at: '2026-11-19T12:00:00.000Z' })],
    [
      'its number belongs to another process now',
      () => ({ pid: process.pid, at: '2026-11-19T12:00:00.000Z', start: `${startOf(process.pid)}0` }),
    ],
    [
      'its number belongs to a younger process, where only the time tells',
      () => ({ pid: process.pid, at: '2000-01-01T00:00:00.000Z' }),
    ],
    ['it was taken in the future', () => ({ pid: process.pid, at: '2999-01-01T00:00:00.000Z' })],
    ['no system has its number', () => ({ pid: 2 ** 40, at: new Date().toISOString() })],
  ])('%s', (_, holder) => {
    const file = join(temporaryFolder(), 'db.json')
    fs.writeFileSync(`${file}.lock`, JSON.stringify(holder()))
    const { release } = lock(file)
    expect(JSON.parse(fs.readFileSync(`${file}.lock`, 'utf8')).pid).toBe(process.pid)
    release()
    expect(fs.existsSync(`${file}.lock`)).toBe(false)
  })

  test('its process is a zombie', async ({ skip }) => {
    if (!isLinux) skip('only Linux tells')
    // The child prints its own pid: after an `echo` of its own, a shell waits for its ended children.
    const parent = spawn('sh', ['-c', "sh -c 'echo $$; exec sleep 600' & exec sleep 600"])
    onTestFinished(() => void parent.kill('SIGKILL'))
    const pid = Number((await once(parent.stdout, 'data'))[0])
    const file = join(temporaryFolder(), 'db.json')
    fs.writeFileSync(`${file}.lock`, JSON.stringify({ pid, at: '', start: startOf(pid) }))
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => startOf(pid)).toBe('ended')
    lock(file).release()
  })

  test.each(['', '{', '{"pid":0}'])('it is old and has no valid process: %j', (text) => {
    const file = join(temporaryFolder(), 'db.json')
    fs.writeFileSync(`${file}.lock`, text)
    const past = Date.now() / 1000 - 60
    fs.utimesSync(`${file}.lock`, past, past)
    lock(file).release()
  })

  test('it is of another machine, and its heartbeat is in the future', () => {
    const file = join(temporaryFolder(), 'db.json')
    fs.writeFileSync(
      `${file}.lock`,
      JSON.stringify({ pid: 1, at: new Date().toISOString(), host: 'elsewhere' }),
    )
    const future = Date.now() / 1000 + 3600
    fs.utimesSync(`${file}.lock`, future, future)
    lock(file).release()
  })

  test('the process that was replacing it died', () => {
    const file = join(temporaryFolder(), 'db.json')
    const past = Date.now() / 1000 - 60
    for (const name of [`${file}.lock`, `${file}.lock.break`]) {
      fs.writeFileSync(name, '')
      fs.utimesSync(name, past, past)
    }
    lock(file).release()
    expect(fs.readdirSync(join(file, '..'))).toEqual([])
  })
})

test('a stale lock that another process has just replaced is not removed', () => {
  const file = join(temporaryFolder(), 'db.json')
  const gone = { pid: 2 ** 22 + 1, at: '2026-11-19T12:00:00.000Z' }
  const faster = { pid: process.ppid, at: new Date().toISOString() }
  fs.writeFileSync(`${file}.lock`, JSON.stringify(gone))
  const { openSync } = fs
  vi.spyOn(fs, 'openSync').mockImplementation((path, ...rest) => {
    if (String(path).endsWith('.break')) fs.writeFileSync(`${file}.lock`, JSON.stringify(faster))
    return openSync(path, ...rest)
  })
  onTestFinished(() => void vi.restoreAllMocks())
  expect(() => lock(file)).toThrow(`in use by process ${process.ppid}`)
  expect(JSON.parse(fs.readFileSync(`${file}.lock`, 'utf8'))).toEqual(faster)
})

test('of many processes that find a stale lock at the same time, one gets the data file', async () => {
  for (let round = 0; round < 2; round++) {
    const file = join(temporaryFolder(), 'db.json')
    fs.writeFileSync(`${file}.lock`, JSON.stringify({ pid: 2 ** 22 + 1, at: '2026-11-19T12:00:00.000Z' }))
    const starters = Array.from({ length: 6 }, () => runChild('lock.child.ts', [file, 'waits']))
    const next = () => Promise.all(starters.map(({ line }) => line()))
    expect(new Set(await next())).toEqual(new Set(['waits']))
    const startAt = String(Date.now() + 100)
    for (const { process } of starters) process.stdin?.write(startAt)
    const lines = await next()
    expect(lines.filter((line) => line === 'holds')).toHaveLength(1)
    expect(lines.filter((line) => line?.includes('it is in use by process'))).toHaveLength(5)
    for (const { process } of starters) process.stdin?.end()
    await Promise.all(starters.map(({ ended }) => ended))
    expect(fs.readdirSync(join(file, '..'))).toEqual([])
  }
})

/** Replaces the lock by that of another holder. */
function takeOver(file: string, holder: object, seconds = 0): void {
  fs.rmSync(`${file}.lock`, { force: true })
  fs.writeFileSync(`${file}.lock`, JSON.stringify(holder))
  const at = Date.now() / 1000 - seconds
  fs.utimesSync(`${file}.lock`, at, at)
}

const elsewhere = { pid: 1, at: '2026-11-19T12:00:00.000Z', host: 'elsewhere', token: 'theirs' }

test('a lock of another machine is respected, with its path in the error, until its heartbeat is 30 seconds old', async () => {
  const file = join(temporaryFolder(), 'db.json')
  takeOver(file, elsewhere, 20)
  await expect(open(file)).rejects.toThrow(
    `in use by process 1 of another machine or container (elsewhere) since 2026-11-19T12:00:00.000Z (${file}.lock)`,
  )
  await expect(open(file)).rejects.toThrow(`remove ${file}.lock`)
  takeOver(file, elsewhere, 31)
  await open(file)
})

const content = { pets: new Pets(tableOfSize(0)), keys: [] }

test('a process that has lost its lock answers 503, and does not change files of the new holder', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'db.json')
  const { store, model, change, warnings } = await open(file)
  await change(create(1))
  takeOver(file, elsewhere)
  const before = contentOf(folder)
  const refusal = { code: 'service_unavailable', message: expect.stringContaining(`${file}.lock (process 1`) }
  await expect(change(create(2))).rejects.toMatchObject(refusal)
  await expect(store.snapshots.save('default', 'a', content, 1)).rejects.toMatchObject(refusal)
  expect(warnings).toEqual([expect.stringContaining('It writes nothing more; start it again')])
  await store.close(10_000)
  expect(contentOf(folder)).toEqual(before)
  expect((await open(join(asAfterCrash(folder), 'db.json'))).found).toEqual(model.stored())
})

test('a removed lock counts as lost', async () => {
  const file = join(temporaryFolder(), 'db.json')
  const { store, change } = await open(file)
  fs.rmSync(`${file}.lock`)
  await expect(change(create(1))).rejects.toThrow('it was removed')
  await expect(store.snapshots.save('default', 'a', content, 1)).rejects.toThrow(
    'saved. This sandbox no longer',
  )
})

test('a sandbox whose folder was away for a while writes again', async () => {
  const folder = join(temporaryFolder(), 'data')
  const { model, change } = await open(join(folder, 'db.json'))
  await change(create(1))
  fs.renameSync(folder, `${folder}-moved`)
  await expect(change(create(2))).rejects.toThrow('put its folder back, or start it again')
  fs.renameSync(`${folder}-moved`, folder)
  await change(create(2))
  expect((await open(join(asAfterCrash(folder), 'db.json'))).found).toEqual(model.stored())
})

test('a lock that cannot be read is neither lost nor stale', async () => {
  const file = join(temporaryFolder(), 'db.json')
  const { change } = await open(file)
  await change(create(1))
  const old = new Date(Date.now() - 10_000)
  fs.utimesSync(`${file}.lock`, old, old)
  const read = vi.spyOn(fs, 'readFileSync').mockImplementation(() => {
    throw Object.assign(new Error("EACCES: permission denied, open 'x'"), { code: 'EACCES' })
  })
  await expect(open(file)).rejects.toThrow(`${file}.lock: there is no permission to use it`)
  await expect(change(create(2))).rejects.toThrow('there is no permission to use it')
  read.mockRestore()
  await change(create(2))
})

test('a lock that cannot be removed does not break the close; the next start replaces it', async () => {
  const file = join(temporaryFolder(), 'db.json')
  const { store } = await open(file)
  const rm = vi.spyOn(fs, 'rmSync').mockImplementation(() => {
    throw new Error('EACCES: permission denied, rm')
  })
  await store.close(1000)
  rm.mockRestore()
  fs.writeFileSync(
    `${file}.lock`,
    fs.readFileSync(`${file}.lock`, 'utf8').replace(/"pid":\d+/, '"pid":4194305'),
  )
  await open(file)
})

const hasUnshare = hasPart(
  spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0,
  'unshare (util-linux) and the right to use it',
  'the tests of a lock across containers',
)

test.skipIf(!hasUnshare)(
  'a lock of another PID namespace is respected, although its process id is unknown here',
  async () => {
    const file = join(temporaryFolder(), 'db.json')
    const inside = runChild('lock.child.ts', [file], 'exec unshare --pid --fork --mount-proc --kill-child')
    expect(await inside.line()).toBe('holds')
    await expect(open(file)).rejects.toThrow(/in use by process 1 of another machine or container/)
    inside.process.stdin?.end()
    await inside.ended
    const { store } = await open(file)
    const other = runChild('lock.child.ts', [file], 'exec unshare --pid --fork --mount-proc --kill-child')
    expect(await other.line()).toContain(`process ${process.pid} of another machine or container`)
    await store.close(0)
  },
)
