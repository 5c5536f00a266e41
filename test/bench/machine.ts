import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'

/** The first and the last core that this process may use: one for the server, one for the load. */
const cores = coresOf(statusOf('self'))

/** A command that runs on the core of the server, where there is a way to hold it there. */
export const onServerCore = (command: readonly string[]): readonly string[] =>
  cores ? ['taskset', '-c', cores.server, ...command] : command

/** Keeps this process, and with it the load that it starts, off the core of the server. */
export function stayOffServerCore(): void {
  if (cores) spawnSync('taskset', ['-a', '-c', '-p', cores.load, String(process.pid)])
}

/** Memory of a process that is in RAM, in MiB; undefined if the system does not tell. */
export function residentMiB(pid: number): number | undefined {
  const kib = /^VmRSS:\s*(\d+) kB$/m.exec(statusOf(pid))?.[1]
  return kib === undefined ? undefined : Number(kib) / 1024
}

/** Milliseconds of the processor that a process has used. */
export function processorMs(pid: number): number {
  const tasks = `/proc/${pid}/task`
  if (!existsSync(tasks)) throw new Error('The time of a process is read from /proc, which is not here.')
  const times = readdirSync(tasks).map((task) => readFileSync(join(tasks, task, 'schedstat'), 'utf8'))
  return times.reduce((sum, text) => sum + Number.parseInt(text, 10) / 1e6, 0)
}

/** The processor, how busy it was before, and what runs where. */
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
