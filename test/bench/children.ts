import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'

const GRACE_MS = 3000
const running = new Set<ChildProcess>()

export function killChildren(): void {
  for (const child of running) child.kill('SIGKILL')
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A child process of this run, and its end. */
export interface Child {
  readonly pid: number
  readonly process: ChildProcess
  readonly ended: Promise<Ended>
}

export async function startChild(command: readonly string[], options: SpawnOptions): Promise<Child> {
  const [file = '', ...args] = command
  const child = spawn(file, args, options)
  running.add(child)
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(child)
      resolve({ code, signal })
    })
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error) => {
      running.delete(child)
      reject(error)
    })
  })
  return { pid: child.pid as number, process: child, ended }
}

/** Sends SIGTERM, and SIGKILL after a while. */
export async function endChild({ process, ended }: Child): Promise<void> {
  process.kill('SIGTERM')
  const forced = setTimeout(() => process.kill('SIGKILL'), GRACE_MS)
  await ended
  clearTimeout(forced)
}

/** Runs a command and returns its output. Rejects if it fails or takes too long. */
export async function output(
  command: readonly string[],
  { timeoutMs, ...options }: SpawnOptions & { timeoutMs: number },
): Promise<string> {
  const child = await startChild(command, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  let complaints = ''
  child.process.stdout?.on('data', (data) => {
    printed += data
  })
  child.process.stderr?.on('data', (data) => {
    complaints += data
  })
  const late = setTimeout(() => child.process.kill('SIGKILL'), timeoutMs)
  const { code, signal } = await child.ended
  clearTimeout(late)
  if (code === 0) return printed
  throw new Error(`${command.join(' ')} ended with ${signal ?? code}: ${(complaints || printed).trim()}`)
}
