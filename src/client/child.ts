import { spawn } from 'node:child_process'
import { constants } from 'node:os'

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** How long a process group may take to end after TERM, in milliseconds, before it gets KILL. */
const GRACE = 2000

/**
 * Runs a command without a shell, in a process group of its own, and resolves with its exit code as a shell
 * has it: 128+n for a signal, 127 not found, 126 not executable. Signals sent to this process are passed on;
 * nothing of the group outlives the call.
 */
export async function runChild(command: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const [file = '', ...parameters] = command
  const child = spawn(file, parameters, { stdio: 'inherit', detached: true, env: environment })
  const forward = (signal: NodeJS.Signals) => signalGroup(child.pid, signal)
  for (const signal of FORWARDED) process.on(signal, forward)
  try {
    return await new Promise<number>((resolve) => {
      child.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ENOENT' ? 127 : 126))
      child.on('exit', (code, signal) =>
        resolve(code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0)),
      )
    })
  } finally {
    await endGroup(child.pid)
    for (const signal of FORWARDED) process.off(signal, forward)
  }
}

async function endGroup(leader: number | undefined): Promise<void> {
  if (!signalGroup(leader, 'SIGTERM')) return
  const deadline = Date.now() + GRACE
  while (Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    if (!signalGroup(leader, 0)) return
  }
  signalGroup(leader, 'SIGKILL')
}

/** True while anybody of the group is there. */
function signalGroup(leader: number | undefined, signal: NodeJS.Signals | 0): boolean {
  if (leader === undefined) return false
  try {
    process.kill(-leader, signal)
    return true
  } catch {
    return false
  }
}
