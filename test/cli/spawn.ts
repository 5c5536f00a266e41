import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'

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

/** Where the programs of the test that runs are started: a folder of its own. */
export let folder: string
let running: Started[] = []

/** Before and after each test of a file: an empty folder, and the end of what the test has started in it. */
export function inFreshFolders(): void {
  beforeEach(() => {
    folder = temporaryFolder()
  })
  afterEach(async () => {
    for (const { child } of running) child.kill('SIGKILL')
    await Promise.all(running.map(({ ended }) => ended))
    running = []
  })
}

/** The program as a process of its own, without a variable of ours in its environment; it ends with the test. */
export function startProgram(args: string[], more: NodeJS.ProcessEnv = {}): Started {
  const { PETSTORE_SANDBOX_URL: _, NO_COLOR: __, FORCE_COLOR: ___, ...env } = process.env
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), PROGRAM, ...args], {
    cwd: folder,
    env: { ...env, ...more },
  })
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.err += text
  })
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)
  const started = {
    child,
    output,
    ended,
    until: (text: string) =>
      new Promise<string>((resolve, reject) => {
        const look = () => output.out.includes(text) && resolve(output.out)
        child.stdout.on('data', look)
        look()
        ended.then((code) => reject(new Error(`it ended with ${code}: ${output.err}${output.out}`)))
      }),
  }
  running.push(started)
  return started
}
