import fs from 'node:fs'
import { errorCode } from '../../text/error.ts'

/** Tolerance in milliseconds: times are read in whole seconds, and the system clock may be adjusted. */
const SLACK_MS = 2000

/**
 * When a process began: boot id and clock tick, a text that is unique on this machine. Undefined if the system does not
 * provide it; only Linux does.
 */
export function startOf(pid: number): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is a name in parentheses, which may contain any characters.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, ticks] = [fields[0], fields[19]]
    if (state === 'Z' || state === 'X') return 'ended'
    return `${fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${ticks}`
  } catch {
    return undefined
  }
}

/** The PID namespace of this process, if the system has them; a container has its own. */
export function pidNamespace(): string | undefined {
  try {
    return fs.readlinkSync('/proc/self/ns/pid')
  } catch {
    return undefined
  }
}

/** Whether the process that had this pid at `at`, and began at `start`, still runs. */
export function isRunning({ pid, at, start }: { pid: number; at: string; start?: string }): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false
  }
  if (start !== undefined) return (startOf(pid) ?? start) === start
  // A recorded time in the future cannot be that of a running process.
  if (Date.parse(at) > Date.now() + SLACK_MS) return false
  const began = startedAt(pid)
  return began === undefined || !(began > Date.parse(at) + SLACK_MS)
}

/** When a process began, for systems without /proc. Milliseconds since the epoch. */
export function startedAt(pid: number): number | undefined {
  // Loaded here: an import would delay each start.
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  const began = Date.parse(stdout ?? '')
  return Number.isNaN(began) ? undefined : began
}
