import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('./program.ts', import.meta.url))

export interface Started {
  readonly child: ChildProcess
  /** What it has written so far. */
  readonly output: { out: string; err: string }
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
  /** Resolves with its stdout once that contains `text`; rejects where it ends before. */
  until(text: string): Promise<string>
}

/** The program as a process of its own, without a variable of ours in its environment. */
export function startProgram(
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Started {
  const { PETSTORE_SANDBOX_URL: _, NO_COLOR: __, FORCE_COLOR: ___, ...env } = process.env
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), PROGRAM, ...args], {
    cwd: options.cwd,
    env: { ...env, ...options.env },
  })
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.err += text
  })
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)
  return {
    child,
    output,
    ended,
    until: (text) =>
      new Promise((resolve, reject) => {
        const look = () => output.out.includes(text) && resolve(output.out)
        child.stdout.on('data', look)
        look()
        ended.then((code) => reject(new Error(`it ended with ${code}: ${output.err}${output.out}`)))
      }),
  }
}
