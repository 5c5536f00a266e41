/** Starts a sandbox in the background (`start --detach`) and finds the one that runs in a folder. */
import fs from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../config/usage-error.ts'
import { makeFolder } from '../node/files/make-folder.ts'
import { startedAt, startOf } from '../node/store/process-identity.ts'
import type { Io } from './command.ts'
import { Exit } from './exit-code.ts'
import { removeAtExit } from './startup.ts'

const FOLDER = '.petstore-sandbox'
const LOG = 'sandbox.log'

/** In bytes. The log and its predecessor together stay below 10 MiB. */
const LOG_LIMIT = 4 * 1024 * 1024

/** The longest time until a sandbox is ready, in milliseconds. */
const LONGEST_START_MS = 60_000

/** The environment variable that marks the background process, whose parent waits for its message. */
const DETACHED = 'PETSTORE_SANDBOX_DETACHED'

export interface Detached {
  readonly pid: number
  /** When it was started, ISO 8601. */
  readonly at: string
  /** When the process began, in units of the operating system; undefined if unknown. */
  readonly start?: string | undefined
  readonly baseUrl: string
}

export const isDetached = ({ env }: Io): boolean => env[DETACHED] === '1'

const fileIn = (cwd: string): string => join(cwd, FOLDER, 'detached.json')

/** The background sandbox of this folder; undefined if none runs. */
export function findDetached(cwd: string): Detached | undefined {
  try {
    const found: Detached = JSON.parse(fs.readFileSync(fileIn(cwd), 'utf8'))
    if (isStillRunning(found)) return found
  } catch {
    // The file is missing, or names no process.
  }
  return undefined
}

/**
 * Whether a running process is the sandbox of this file. The file may come from a repository, but then it cannot
 * contain the start time of a process of this machine.
 */
function isStillRunning({ pid, at, start }: Detached): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  if (startOf(process.pid) !== undefined) return start !== undefined && startOf(pid) === start
  const began = startedAt(pid)
  return began !== undefined && Math.abs(Date.parse(at) - began) <= LONGEST_START_MS
}

export const forgetDetached = (cwd: string): void => fs.rmSync(fileIn(cwd), { force: true })

/**
 * Starts the same command line in a background process, waits until it is ready and prints its banner.
 * Throws an Exit with its exit code if it ends before that.
 */
export async function startDetached(io: Io): Promise<void> {
  refuseSecond(io.cwd)
  makeFolder(join(io.cwd, FOLDER))
  const log = join(io.cwd, FOLDER, LOG)
  const handle = fs.openSync(log, 'a')
  const from = fs.fstatSync(handle).size
  const [, program = '', ...args] = process.argv
  // Loaded here: a start in the foreground does not need it.
  const { spawn } = await import('node:child_process')
  const words = [...process.execArgv, program, ...args.filter((word) => word !== '--detach')]
  const child = spawn(process.execPath, words, {
    cwd: io.cwd,
    env: { ...io.env, [DETACHED]: '1' },
    detached: true,
    stdio: ['ignore', handle, handle, 'ipc'],
  })
  fs.closeSync(handle)
  // The ready text that the process sends, or the exit code with which it ends before.
  const outcome = await new Promise<string | number>((resolve) => {
    child.once('message', (text) => resolve(String(text)))
    child.once('exit', (code) => resolve(code ?? 1))
    child.once('error', () => resolve(1))
  })
  if (typeof outcome === 'number') {
    io.talk(fs.readFileSync(log).subarray(from).toString())
    throw new Exit(outcome)
  }
  child.unref()
  io.out(outcome)
}

function refuseSecond(cwd: string): void {
  const running = findDetached(cwd)
  if (!running) return
  const { baseUrl, pid } = running
  const problem = `A background sandbox already runs in this folder, on ${baseUrl} (process ${pid})`
  throw new UsageError(problem, 'Use it, or stop it: petstore-sandbox stop')
}

/**
 * In the background process: reports to the parent that it is ready, and disconnects from it. Throws a UsageError if
 * another one in this folder was faster.
 */
export function reportReady(baseUrl: string, text: string, { cwd }: Io): void {
  const { pid } = process
  const entry: Detached = { pid, at: new Date().toISOString(), start: startOf(pid), baseUrl }
  const line = `${JSON.stringify(entry)}\n`
  storeEntry(line, cwd)
  removeAtExit(fileIn(cwd), line)
  rotateLog(join(cwd, FOLDER, LOG), process.stdout.fd, [process.stdout, process.stderr])
  // An error means that the parent was interrupted: this start ends too.
  process.send?.(text, (error: Error | null) => (error ? process.kill(pid, 'SIGTERM') : process.disconnect()))
}

/** Stores the file of this sandbox in one step: of several sandboxes that become ready together, one succeeds. */
function storeEntry(line: string, cwd: string): void {
  const draft = `${fileIn(cwd)}.${process.pid}`
  fs.writeFileSync(draft, line)
  try {
    fs.linkSync(draft, fileIn(cwd))
  } catch {
    // There is a file, perhaps of a process that has ended, or this file system has no hard links.
    refuseSecond(cwd)
    fs.renameSync(draft, fileIn(cwd))
  } finally {
    fs.rmSync(draft, { force: true })
  }
}

/** Rotates the log file `fd`, to which the streams append, before a write that would exceed the limit. */
export function rotateLog(
  log: string,
  fd: number,
  streams: readonly Pick<NodeJS.WriteStream, 'write'>[],
): void {
  let size = fs.fstatSync(fd).size
  for (const stream of streams) {
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean
    stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
      const length = Buffer.byteLength(chunk)
      if (size > 0 && size + length > LOG_LIMIT) {
        try {
          fs.copyFileSync(log, `${log}.1`)
        } catch {
          // The disk is full, for example: these lines are lost.
        }
        fs.ftruncateSync(fd)
        size = 0
      }
      size += length
      return write(chunk, ...rest)
    }
  }
}
