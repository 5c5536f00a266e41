import fs from 'node:fs'
import { DataFileError } from './data-file-error.ts'
import { isRunning, startOf } from './running.ts'

/** Longer than it takes to write a lock, or to remove a stale one. */
const MOMENT_MS = 1000
const PAUSE_MS = 10

interface Holder {
  readonly pid: number
  /** When the lock was taken, ISO 8601. */
  readonly at: string
  /** When its process began, where the system tells: a pid alone says little, in a container it is always 1. */
  readonly start?: string
}

/**
 * Takes the lock of a data file; returns what lets it go. Throws a DataFileError while another process, or
 * this one, holds it. A lock whose holder is gone is taken over.
 */
export function lock(file: string): () => void {
  const path = `${file}.lock`
  const mine = JSON.stringify({
    pid: process.pid,
    at: new Date().toISOString(),
    start: startOf(process.pid),
  })
  const giveUpAt = Date.now() + 3 * MOMENT_MS
  while (!create(path, mine)) {
    const found = read(path)
    const holder = holderOf(found)
    if ((holder && isRunning(holder)) || Date.now() > giveUpAt) throw inUse(file, path, holder)
    // What names no holder is just being written, unless it has been so for long.
    if (holder || isOld(path)) removeStale(path, found)
    else pause()
  }
  return () => {
    if (read(path) === mine) fs.rmSync(path, { force: true })
  }
}

/** True where the file was made; false where there is one. */
function create(path: string, text: string): boolean {
  let handle: number
  try {
    handle = fs.openSync(path, 'wx')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  try {
    fs.writeFileSync(handle, text)
    return true
  } catch (error) {
    fs.rmSync(path, { force: true })
    throw error
  } finally {
    fs.closeSync(handle)
  }
}

/**
 * Of several starters that find a stale lock one removes it, and only while it is still that lock: otherwise
 * the slower one would remove the new lock of the faster.
 */
function removeStale(path: string, stale: string): void {
  const guard = `${path}.break`
  if (!create(guard, '')) {
    if (isOld(guard)) fs.rmSync(guard, { force: true })
    else pause()
    return
  }
  try {
    if (read(path) === stale) fs.rmSync(path, { force: true })
  } finally {
    fs.rmSync(guard, { force: true })
  }
}

function read(path: string): string {
  try {
    return fs.readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function holderOf(text: string): Holder | undefined {
  try {
    const holder = JSON.parse(text) as Partial<Holder> | null
    if (Number.isInteger(holder?.pid) && Number(holder?.pid) > 0) return holder as Holder
  } catch {}
  return undefined
}

const isOld = (path: string): boolean =>
  Date.now() - (fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > MOMENT_MS

const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)

function inUse(file: string, path: string, holder: Holder | undefined): DataFileError {
  const who = holder
    ? `process ${holder.pid}${holder.pid === process.pid ? ' (this one)' : ''}`
    : 'another process'
  const since = holder?.at ? ` since ${holder.at}` : ''
  return new DataFileError(
    file,
    undefined,
    `it is in use by ${who}${since} (${path})`,
    'Stop that process, take another file with --db <file>, or keep nothing with --memory',
  )
}
