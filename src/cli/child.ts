import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import spawn from 'cross-spawn'

const FORWARDED = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGWINCH',
] as const satisfies NodeJS.Signals[]

/** Windows has none: there a signal reaches only the process itself, and the console gives Ctrl-C to all. */
const HAS_GROUPS = process.platform !== 'win32'

/** Those that ask to end; a second one forces it. */
const ENDING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']

/** How long a process group may take to end after TERM, before it gets KILL, and after that. In milliseconds. */
const GRACE = { term: 2000, kill: 500 }

/** A terminal gives Ctrl-C to npm and to us, and npm passes it on: the same key twice. In milliseconds. */
const ONE_PRESS = 100

/** How a command ended. */
export interface ChildEnd {
  /** As a shell has it: 128+n for a signal, 127 not found, 126 not executable. */
  readonly code: number
  /** Why it could not be started at all, for people. */
  readonly problem?: string
}

/**
 * Runs a command without a shell, in a process group of its own, on this process's own input and outputs.
 * Signals sent to this process are passed on to the group; nothing of it outlives the call, nor this process.
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

/** On Windows, a command such as npm is a script that only its shell can run: cross-spawn sees to that. */
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
  if (code === 'ENOENT') return { code: 127, problem: `${file}: there is no such command` }
  if (code === 'EACCES') return { code: 126, problem: `${file}: this may not be executed` }
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

/** Whether a group ends within a time. */
async function isGone(group: number | undefined, within: number): Promise<boolean> {
  const deadline = performance.now() + within
  while (performance.now() < deadline) {
    if (!signalGroup(group, 0)) return true
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return false
}

/** True while anybody of the group is there. */
function signalGroup(group: number | undefined, signal: NodeJS.Signals | 0): boolean {
  if (group === undefined) return false
  try {
    process.kill(HAS_GROUPS ? -group : group, signal)
    return true
  } catch {
    return false
  }
}
