import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'

/** The first and the last core that this process may use: for the server and for the load. */
const cores = coresOf(statusOf('self'))

/** A command that runs on the core of the server, if the system can pin it. */
export const onServerCore = (command: readonly string[]): readonly string[] =>
  cores ? ['taskset', '-c', cores.server, ...command] : command

/** Moves this process, and thereby the load that it starts, to the other core. */
export function stayOffServerCore(): void {
  if (cores) spawnSync('taskset', ['-a', '-c', '-p', cores.load, String(process.pid)])
}

/** The resident memory of a process, in MiB; undefined if the system does not report it. */
export function residentMiB(pid: number): number | undefined {
  const kib = /^VmRSS:\s*(\d+) kB$/m.exec(statusOf(pid))?.[1]
  return kib === undefined ? undefined : Number(kib) / 1024
}

/** The processor time of a process, in milliseconds. */
export function processorMs(pid: number): number {
  const tasks = `/proc/${pid}/task`
  if (!existsSync(tasks)) throw new Error('The time of a process is read from /proc, which is not here.')
  const times = readdirSync(tasks).map((task) => readFileSync(join(tasks, task, 'schedstat'), 'utf8'))
  return times.reduce((sum, text) => sum + Number.parseInt(text, 10) / 1e6, 0)
}

/** The processor, its load before the run, and the cores in use. */
export function describeMachine(): string {
  const model = os.cpus()[0]?.model.trim() ?? 'unknown processor'
  const busy = `load average ${os.loadavg()[0]?.toFixed(1)} beforehand`
  const cpu = `${model}, ${os.availableParallelism()} cores, ${busy}`
  return cores
    ? `${cpu}; server on core ${cores.server}, load on core ${cores.load}`
    : `${cpu}; server and load are NOT held on different cores (needs taskset and two cores)`
}

function coresOf(status: string): { server: string; load: string } | undefined {
  const list = /^Cpus_allowed_list:\s*(.*)$/m.exec(status)?.[1]?.match(/\d+/g)
  const [server, load] = [list?.at(0), list?.at(-1)]
  if (server === undefined || load === undefined || server === load) return undefined
  return spawnSync('taskset', ['--version']).status === 0 ? { server, load } : undefined
}

function statusOf(pid: number | 'self'): string {
  const file = `/proc/${pid}/status`
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
