import { spawnSync } from 'node:child_process'
import fs from 'node:fs'

/** A system clock is read in whole seconds here, and may be set a little. */
const SLACK_MS = 2000

/**
 * When a process began, as text that no other process on this machine has had: the boot and the tick in it.
 * Undefined where the system does not tell: anything but Linux.
 */
export function startOf(pid: number): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is a name in parentheses, in which anything may stand.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, ticks] = [fields[0], fields[19]]
    if (state === 'Z' || state === 'X') return 'ended'
    return `${fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${ticks}`
  } catch {
    return undefined
  }
}

/** In which namespace pids are counted, where there are such; a container has its own. */
export function pidNamespace(): string | undefined {
  try {
    return fs.readlinkSync('/proc/self/ns/pid')
  } catch {
    return undefined
  }
}

/** Whether a process is still the one that was there `at` that instant and had begun at `start`. */
export function isRunning({ pid, at, start }: { pid: number; at: string; start?: string }): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  if (start !== undefined) return (startOf(pid) ?? start) === start
  const began = startedAt(pid)
  return began === undefined || !(began > Date.parse(at) + SLACK_MS)
}

/** Where there is no /proc. Milliseconds since the epoch. */
function startedAt(pid: number): number | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  const began = Date.parse(stdout ?? '')
  return Number.isNaN(began) ? undefined : began
}
