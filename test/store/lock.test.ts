import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { lock } from '../../src/store/lock.ts'
import { startOf } from '../../src/store/running.ts'
import { runChild } from './child.ts'
import { temporaryFolder } from './folder.ts'
import { open } from './opened.ts'

const isLinux = process.platform === 'linux'

test('a data file belongs to one process; the other is told which one, and what to do', async () => {
  const file = join(temporaryFolder(), 'db.json')
  const first = runChild('lock.child.ts', [file])
  expect(await first.line()).toBe('holds')
  await expect(open(file)).rejects.toMatchObject({ name: 'DataFileError', file })
  await expect(open(file)).rejects.toThrow(
    new RegExp(`${file}: it is in use by process ${first.process.pid} since .*--db <file>.*--memory`),
  )
  first.process.stdin?.end()
  await first.ended
  expect(fs.readdirSync(join(file, '..'))).toEqual([])
  await open(file)
})

test('it belongs to one opener within a process, too', async () => {
  const file = join(temporaryFolder(), 'db.json')
  const { store } = await open(file)
  await expect(open(file)).rejects.toThrow(`in use by process ${process.pid} (this one)`)
  await store.close(0)
  await open(file)
})

test('a link to it is it: the same lock, and the link stays a link', async () => {
  const folder = temporaryFolder()
  const [file, link] = [join(folder, 'db.json'), join(folder, 'link.json')]
  fs.writeFileSync(file, '{"version":1,"namespaces":{"default":{"pets":[]}}}')
  fs.symlinkSync('db.json', link)
  const { store, change } = await open(link)
  await expect(open(file)).rejects.toThrow('it is in use')
  const pet = { id: 1, name: 'Kit', categoryId: 1 }
  await change({ op: 'create', namespace: 'default', shelf: 'pets', pet, json: JSON.stringify(pet) })
  await store.close(10_000)
  expect(fs.lstatSync(link).isSymbolicLink()).toBe(true)
  expect(fs.readFileSync(file, 'utf8')).toContain('Kit')
})

test('a start that fails leaves no lock', async () => {
  const file = join(temporaryFolder(), 'db.json')
  fs.writeFileSync(file, 'no data file')
  await expect(open(file)).rejects.toThrow('not JSON')
  expect(fs.existsSync(`${file}.lock`)).toBe(false)
})

describe('a lock whose holder is gone does not hold', () => {
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
  ])('%s', (_, holder) => {
    const file = join(temporaryFolder(), 'db.json')
    fs.writeFileSync(`${file}.lock`, JSON.stringify(holder()))
    const { release } = lock(file)
    expect(JSON.parse(fs.readFileSync(`${file}.lock`, 'utf8')).pid).toBe(process.pid)
    release()
    expect(fs.existsSync(`${file}.lock`)).toBe(false)
  })

  test('its process has ended, but nobody has asked for its exit code', async ({ skip }) => {
    if (!isLinux) skip('only Linux tells')
    const parent = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 30'])
    onTestFinished(() => void parent.kill('SIGKILL'))
    const [pid] = await once(parent.stdout, 'data')
    await new Promise((resolve) => setTimeout(resolve, 200))
    const file = join(temporaryFolder(), 'db.json')
    fs.writeFileSync(`${file}.lock`, JSON.stringify({ pid: Number(pid), at: '', start: 'then' }))
    lock(file).release()
  })

  test.each(['', '{', '{"pid":0}'])('it names nobody, and has done so for a while: %j', (text) => {
    const file = join(temporaryFolder(), 'db.json')
    fs.writeFileSync(`${file}.lock`, text)
    const past = Date.now() / 1000 - 60
    fs.utimesSync(`${file}.lock`, past, past)
    lock(file).release()
  })

  test('one that was breaking it died meanwhile', () => {
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

test('a stale lock that another starter has just replaced is left alone', () => {
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

test('of many who find a stale lock at once, one gets the data file', async () => {
  for (let round = 0; round < 2; round++) {
    const file = join(temporaryFolder(), 'db.json')
    fs.writeFileSync(`${file}.lock`, JSON.stringify({ pid: 2 ** 22 + 1, at: '2026-11-19T12:00:00.000Z' }))
    const startAt = String(Date.now() + 1500)
    const starters = Array.from({ length: 6 }, () => runChild('lock.child.ts', [file, startAt]))
    const lines = await Promise.all(starters.map(({ line }) => line()))
    expect(lines.filter((line) => line === 'holds')).toHaveLength(1)
    expect(lines.filter((line) => line?.includes('it is in use by process'))).toHaveLength(5)
    for (const { process } of starters) process.stdin?.end()
    await Promise.all(starters.map(({ ended }) => ended))
    expect(fs.readdirSync(join(file, '..'))).toEqual([])
  }
})
