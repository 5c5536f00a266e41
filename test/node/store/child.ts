import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export interface Child {
  readonly process: ChildProcess
  /** The next line that it prints; undefined at its end. */
  readonly line: () => Promise<string | undefined>
  readonly ended: Promise<unknown>
}

/** Runs a TypeScript program of this folder as a child process; `shell` is a command that may set limits before. */
export function runChild(program: string, args: readonly string[], shell = ''): Child {
  const file = fileURLToPath(new URL(program, import.meta.url))
  const command = [process.execPath, '--import', import.meta.resolve('tsx'), file, ...args]
  const child = spawn(
    'sh',
    ['-c', /\bexec\b/.test(shell) ? `${shell} "$@"` : `${shell} exec "$@"`, 'sh', ...command],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return { process: child, line: async () => (await lines.next()).value, ended: once(child, 'exit') }
}
