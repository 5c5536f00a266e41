import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The built program; `test/support/build.ts` builds it before the tests that start it. */
export const BIN = fileURLToPath(new URL('../../bin/petstore-sandbox.js', import.meta.url))

export interface LaunchOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  readonly input?: string
  /** A command, with arguments, that starts the program. */
  readonly through?: readonly string[]
  /** The JavaScript runtime, with arguments; by default this Node. */
  readonly runtime?: readonly string[]
}

/** The program as a child process. */
export interface Started {
  readonly child: ChildProcess
  /** The output so far. */
  readonly output: { out: string; err: string }
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
  /** Resolves with stdout when it contains `text` in a whole line; rejects if the program ends before. */
  until(text: string): Promise<string>
}

/** A sandbox that is ready. */
export interface Program extends Started {
  readonly baseUrl: string
  readonly origin: string
  /** Sends a signal; resolves with the exit code, or the signal. */
  stop(signal?: NodeJS.Signals): Promise<number | string>
}

const running = new Set<Started>()

/** The environment without the variables whose names match. */
export const environmentWithout = (names: RegExp): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !names.test(name)))

/** Starts the program without variables that it reads in its environment. */
export function launch(args: readonly string[], options: LaunchOptions = {}): Started {
  const env = environmentWithout(/^(PETSTORE_|OTEL_|NO_COLOR$|FORCE_COLOR$)/)
  const [file = '', ...words] = [
    ...(options.through ?? []),
    ...(options.runtime ?? [process.execPath]),
    BIN,
    ...args,
  ]
  const child = spawn(file, words, { cwd: options.cwd, env: { ...env, ...options.env } })
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.err += text
  })
  // A program may end before it has read everything.
  child.stdin.on('error', () => {}).end(options.input)
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)
  const until = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = output.out.indexOf(text)
        if (found >= 0 && output.out.includes('\n', found)) resolve(output.out)
      }
      child.stdout.on('data', look)
      look()
      ended.then((code) => reject(new Error(`it ended with ${code}: ${output.err}${output.out}`)))
    })
  const started = { child, output, ended, until }
  running.add(started)
  child.once('close', () => running.delete(started))
  return started
}

/** Runs the program to its end. */
export async function run(
  args: readonly string[],
  options: LaunchOptions = {},
): Promise<{ readonly code: number | string; readonly out: string; readonly err: string }> {
  const { ended, output } = launch(args, options)
  return { code: await ended, ...output }
}

/** Starts the program and waits for its ready line. */
export async function start(args: readonly string[], options: LaunchOptions = {}): Promise<Program> {
  const started = launch(args, options)
  const said = await Promise.race([started.until('is ready on '), started.until('"baseUrl":')])
  const ready = /is ready on (\S+)|"baseUrl":"([^"]+)"/.exec(said)
  const baseUrl = (ready?.[1] ?? ready?.[2]) as string
  return {
    ...started,
    baseUrl,
    origin: new URL(baseUrl).origin,
    stop(signal = 'SIGTERM') {
      started.child.kill(signal)
      return started.ended
    },
  }
}

/** For afterEach or afterAll: ends every program that a test has started. */
export async function stopAll(): Promise<void> {
  for (const { child } of running) child.kill('SIGKILL')
  await Promise.all([...running].map(({ ended }) => ended))
}
