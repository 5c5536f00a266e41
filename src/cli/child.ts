import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import spawn from 'cross-spawn'
import { ONE_PRESS } from './signals.ts'

const FORWARDED = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGWINCH',
] as const satisfies NodeJS.Signals[]

/** Windows has no process groups: a signal reaches one process only, and the console sends Ctrl-C to all. */
const HAS_GROUPS = process.platform !== 'win32'

/** Signals that request an end; the second one ends the group at once. */
const ENDING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']

/** How long to wait for the end of a process group after SIGTERM and after SIGKILL, in milliseconds. */
const GRACE = { term: 2000, kill: 500 }

/** How a command ended. */
export interface ChildEnd {
  /** As in a shell: 128+n for signal n, 127 not found, 126 not executable. */
  readonly code: number
  /** Why it could not be started, for people. */
  readonly problem?: string
}

/**
 * Runs a command without a shell, in its own process group, with the input and outputs of this process. Signals to
 * this process are forwarded to the group. The group is ended when the command ends, or when this process does.
 */
export async function runChild(
  command: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<ChildEnd> {
  let group: number | undefined
  let asked = 0
  const forward = oncePerPress((signal) => {
    if (HAS_GROUPS) signalGroup(group, signal)
    if (ENDING.includes(signal) && ++asked === 2) void endGroup(group)
  })
  const kill = () => void signalGroup(group, 'SIGKILL')
  for (const signal of FORWARDED) process.on(signal, forward)
  process.on('exit', kill)
  try {
    const child = start(command, environment)
    group = child.pid
    return await ended(child)
  } catch (error) {
    return notStarted(command, error as NodeJS.ErrnoException)
  } finally {
    await endGroup(group)
    process.off('exit', kill)
    for (const signal of FORWARDED) process.off(signal, forward)
  }
}

/** cross-spawn, because on Windows commands such as npm are scripts that need a shell. */
const start = ([file = '', ...parameters]: readonly string[], env: NodeJS.ProcessEnv): ChildProcess =>
  spawn(file, parameters, { stdio: 'inherit', detached: HAS_GROUPS, env })

const ended = (child: ChildProcess): Promise<ChildEnd> =>
  new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) =>
      resolve({ code: code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0) }),
    )
  })

function notStarted([file = '']: readonly string[], { code, message }: NodeJS.ErrnoException): ChildEnd {
  if (code === 'ENOENT')
    return { code: 127, problem: `${file}: command not found. Check its spelling and PATH` }
  if (code === 'EACCES')
    return { code: 126, problem: `${file}: permission to execute it is missing. Make it executable` }
  return { code: 126, problem: `${file}: ${message}` }
}

function oncePerPress(forward: (signal: NodeJS.Signals) => void): (signal: NodeJS.Signals) => void {
  const last = new Map<NodeJS.Signals, number>()
  return (signal) => {
    const now = performance.now()
    if (now - (last.get(signal) ?? -Infinity) > ONE_PRESS) forward(signal)
    last.set(signal, now)
  }
}

async function endGroup(group: number | undefined): Promise<void> {
  if (!signalGroup(group, 'SIGTERM') || (await isGone(group, GRACE.term))) return
  signalGroup(group, 'SIGKILL')
  await isGone(group, GRACE.kill)
}

/** Whether the group ends within `within` milliseconds. */
async function isGone(group: number | undefined, within: number): Promise<boolean> {
  const deadline = performance.now() + within
  while (performance.now() < deadline) {
    if (!signalGroup(group, 0)) return true
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return false
}

/** True while a process of the group exists. */
function signalGroup(group: number | undefined, signal: NodeJS.Signals | 0): boolean {
  if (group === undefined) return false
  try {
    process.kill(HAS_GROUPS ? -group : group, signal)
    return true
  } catch {
    return false
  }
}
