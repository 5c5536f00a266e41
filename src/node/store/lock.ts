import fs from 'node:fs'
import os from 'node:os'
import { errorCode, fileReason, isMissing } from '../../text/error.ts'
import { clearInterval, setInterval } from '../timers.ts'
import { shuttingDown } from './change-log.ts'
import { type DataFileError, DataFileInUseError } from './data-file-error.ts'
import { isRunning, pidNamespace, startOf } from './process-identity.ts'
import { checkRegular, PRIVATE, stampAt } from './replace-file.ts'

/** Longer than it takes to write a lock or to remove a stale one, in milliseconds. */
const HANDOVER_MS = 1000
const PAUSE_MS = 10
/** The interval of the heartbeat, which updates the modification time of the lock, in milliseconds. */
const HEARTBEAT_MS = 5000
/** After this time without a heartbeat, a holder whose process cannot be checked counts as ended. */
const STALE_MS = 30_000
/** The highest process id of any system. */
const PID_MAX = 2 ** 31 - 1

interface Holder {
  readonly pid: number
  /** When the lock was taken, ISO 8601. */
  readonly at: string
  /** When the process began, if the system reports it. A pid alone is ambiguous: in a container it is always 1. */
  readonly start?: string
  /** Host and PID namespace in which the pid is valid. */
  readonly host?: string
  readonly namespace?: string
}

export type Lock = ReturnType<typeof lock>

/** The advice when a data file cannot be used. */
export const OTHER_STORE =
  'another file (--db, in code db), or keep everything in memory (--memory, createSandbox without db, the Vite plugin with memory: true)'

/**
 * Takes the lock of a file. Throws a DataFileInUseError while any process, including this one, holds it. The lock of a
 * holder that has ended is taken over. `otherwise`: what to do instead of stopping the holder.
 */
export function lock(file: string, otherwise = `take ${OTHER_STORE}`) {
  const path = `${file}.lock`
  const text = JSON.stringify({
    ...thisMachine(),
    pid: process.pid,
    start: startOf(process.pid),
    at: new Date().toISOString(),
    // Makes the text of every lock unique.
    token: `${process.pid} ${Math.random()}`,
  })
  const giveUpAt = Date.now() + 3 * HANDOVER_MS
  while (!create(path, text)) {
    const found = read(path)
    const holder = holderOf(found)
    if ((holder && isAlive(holder, path)) || Date.now() > giveUpAt) throw inUse(file, path, holder, otherwise)
    // A lock without content is being written, unless it is old.
    if (holder || isOlder(path, HANDOVER_MS)) removeStale(path, found)
    else pause()
  }
  return holding(path, text)
}

const thisMachine = () => ({ host: os.hostname(), namespace: pidNamespace() })

function holding(path: string, text: string) {
  let seen = stampAt(path)
  let isReleased = false
  /** Throws if the lock was released, taken over or removed. It is fast, because it is called before each write. */
  const check = (): void => {
    if (isReleased) throw shuttingDown()
    const stamp = stampAt(path)
    if (stamp !== undefined && stamp === seen) return
    const found = read(path)
    if (found !== text) throw lockLost(path, found)
    seen = stamp
  }
  const beat = setInterval(() => {
    try {
      check()
      const now = new Date()
      fs.utimesSync(path, now, now)
      seen = stampAt(path)
    } catch {
      // If the lock is lost, the next write says so.
    }
  }, HEARTBEAT_MS).unref()
  /** Removes the lock. Never throws: a lock without a holder is taken over anyway. */
  const release = (): void => {
    clearInterval(beat)
    try {
      check()
      fs.rmSync(path, { force: true })
    } catch {
      // The lock belongs to another process, or the next start takes it over.
    } finally {
      isReleased = true
    }
  }
  return { check, release }
}

/** The lock was removed, or another process has taken it. */
export class LockLost extends Error {}

function lockLost(path: string, found: string): LockLost {
  const holder = holderOf(found)
  const now = holder
    ? `${nameOf(holder)} has taken it). It writes nothing more; start it again`
    : 'it was removed). It writes nothing meanwhile; put its folder back, or start it again'
  return new LockLost(`This sandbox no longer holds ${path} (${now}`)
}

/** Whether the holder still runs. If its process cannot be checked, the heartbeat decides. */
const isAlive = (holder: Holder, path: string): boolean =>
  isForeign(holder) ? !isOlder(path, STALE_MS) : isRunning(holder)

function isForeign({ host, namespace }: Holder): boolean {
  const machine = thisMachine()
  return (host ?? machine.host) !== machine.host || (namespace ?? machine.namespace) !== machine.namespace
}

/** True if the file was created; false if it exists. */
function create(path: string, text: string): boolean {
  let handle: number
  try {
    handle = fs.openSync(path, 'wx', PRIVATE)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
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
 * Removes a stale lock. If several processes find it, only one removes it, and only while it is still the same lock:
 * otherwise the slower one would remove the new lock of the faster one.
 */
function removeStale(path: string, stale: string): void {
  const guard = `${path}.break`
  if (!create(guard, '')) {
    if (isOlder(guard, HANDOVER_MS)) fs.rmSync(guard, { force: true })
    else pause()
    return
  }
  try {
    if (read(path) === stale) fs.rmSync(path, { force: true })
  } finally {
    fs.rmSync(guard, { force: true })
  }
}

/** Empty if it is missing. One that cannot be read may be that of another user: it must not count as stale. */
function read(path: string): string {
  checkRegular(path)
  try {
    return fs.readFileSync(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return ''
    throw new Error(`${path}: ${fileReason(error)}`)
  }
}

function holderOf(text: string): Holder | undefined {
  try {
    const holder: Holder = Object(JSON.parse(text))
    if (Number.isInteger(holder.pid) && holder.pid > 0 && holder.pid <= PID_MAX) return holder
  } catch {}
  return undefined
}

/** A time that lies as far in the future also counts as old, because nobody can have written the file then. */
const isOlder = (path: string, ms: number): boolean =>
  Math.abs(Date.now() - (fs.lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())) > ms

const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)

function nameOf(holder: Holder): string {
  if (isForeign(holder)) return `process ${holder.pid} of another machine or container (${holder.host})`
  return `process ${holder.pid}${holder.pid === process.pid ? ' (this one)' : ''}`
}

function inUse(file: string, path: string, holder: Holder | undefined, otherwise: string): DataFileError {
  const who = holder ? nameOf(holder) : 'another process'
  const since = holder?.at ? ` since ${holder.at}` : ''
  const wait =
    holder && isForeign(holder)
      ? `If that process is gone, remove ${path}, or start again ${STALE_MS / 1000} seconds after its end. Otherwise stop it`
      : holder?.pid === process.pid
        ? 'Close that sandbox'
        : 'Stop that process'
  return new DataFileInUseError(file, `it is in use by ${who}${since} (${path})`, `${wait}, ${otherwise}`)
}
