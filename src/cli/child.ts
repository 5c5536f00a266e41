import { once } from 'node:events'
import { statSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import spawn from 'cross-spawn'
import { errorCode, errorMessage, isMissing } from '../text/error.ts'
import { codeOf } from './exit-code.ts'
import { ONE_PRESS } from './startup.ts'

/** Windows has no process groups: a signal reaches one process only, and the console sends Ctrl-C to all. */
const HAS_GROUPS = process.platform !== 'win32'

/** Signals that ask the command to end. A second one ends the group: SIGTERM, then SIGKILL after `GRACE.term`. */
const ENDING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']
const FORWARDED: readonly NodeJS.Signals[] = [...ENDING, 'SIGUSR1', 'SIGUSR2', 'SIGWINCH']

/** The time that a process group has to end after SIGTERM and after SIGKILL, in milliseconds. */
const GRACE = { term: 2000, kill: 500 }

/** The end of a command. */
interface ChildEnd {
  /** Like a shell: 128+n for signal n, 127 not found, 126 not executable. */
  readonly code: number
  /** The reason why it could not be started; for users. */
  readonly problem?: string
}

/**
 * Handles the signals to this process from now on. The returned function runs a command without a shell, in a process
 * group of its own, with the standard streams of this process. Signals are forwarded to the group, which ends when the
 * command or this process ends. A signal before the command starts counts as its end; while no command runs, a second
 * one ends this process.
 */
export function childRunner() {
  let group: number | undefined
  let asked: NodeJS.Signals[] = []
  const forward = oncePerPress((signal) => {
    if (HAS_GROUPS) signalGroup(group, signal)
    if (!ENDING.includes(signal) || asked.push(signal) < 2) return
    if (group === undefined) process.exit(codeOf(signal))
    if (asked.length === 2) void endGroup(group)
  })
  for (const signal of FORWARDED) process.on(signal, forward)
  process.on('exit', () => void signalGroup(group, 'SIGKILL'))

  return async ([file = '', ...parameters]: readonly string[], env: NodeJS.ProcessEnv): Promise<ChildEnd> => {
    if (asked[0]) return { code: codeOf(asked[0]) }
    try {
      // cross-spawn, because commands such as npm are scripts on Windows and need a shell.
      const child = spawn(file, parameters, { stdio: 'inherit', detached: HAS_GROUPS, env })
      group = child.pid
      const [code, signal] = await once(child, 'exit')
      return { code: code ?? codeOf(signal) }
    } catch (error) {
      return notStarted(file, error, env.PATH)
    } finally {
      await endGroup(group)
      group = undefined
      asked = []
    }
  }
}

function notStarted(file: string, error: unknown, path = ''): ChildEnd {
  const isPath = basename(file) !== file
  const isFound = (isPath ? [file] : path.split(delimiter).map((folder) => join(folder, file))).some(isFile)
  const isDenied = errorCode(error) === 'EACCES'
  // A folder in PATH that cannot be searched, or that has a folder of this name, gives EACCES too.
  if (isMissing(error) || file === '' || (isDenied && !isPath && !isFound)) {
    // The system has the same error for a missing file and for the missing interpreter of a script.
    const why = isFound
      ? 'its interpreter was not found. Check its first line, which must not end with CRLF'
      : 'command not found. Check its spelling and PATH'
    return { code: 127, problem: `${file || '""'}: ${why}` }
  }
  const notExecutable = 'it is not an executable file. Name a program, or make it executable'
  return { code: 126, problem: `${file}: ${isDenied ? notExecutable : errorMessage(error)}` }
}

function oncePerPress(forward: (signal: NodeJS.Signals) => void): (signal: NodeJS.Signals) => void {
  const last = new Map<NodeJS.Signals, number>()
  return (signal) => {
    const now = performance.now()
    if (now - (last.get(signal) ?? -Infinity) > ONE_PRESS) forward(signal)
    last.set(signal, now)
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
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
    await setTimeout(20)
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
