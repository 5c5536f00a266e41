import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const BIN = fileURLToPath(new URL('../../bin/petstore-sandbox.js', import.meta.url))

export interface Program {
  readonly child: ChildProcess
  readonly baseUrl: string
  readonly origin: string
  readonly stdout: () => string
  readonly stderr: () => string
  /** Ends it by a signal; resolves with its exit code and signal. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const running = new Set<ChildProcess>()

const plain = (env: NodeJS.ProcessEnv) => ({ ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, ...env })

/** Runs the built program to its end. */
export async function run(
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; input?: string } = {},
): Promise<Finished> {
  const child = spawn(process.execPath, [BIN, ...args], { cwd: options.cwd, env: plain(options.env ?? {}) })
  const output = collect(child)
  child.stdin.end(options.input)
  const [code] = await once(child, 'close')
  return { code, stdout: output.stdout(), stderr: output.stderr() }
}

/** Starts the built program and waits until it says that it is ready. */
export async function start(
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; through?: readonly string[] } = {},
): Promise<Program> {
  const [file = process.execPath, ...before] = options.through ?? []
  const parameters = options.through ? [...before, process.execPath, BIN, ...args] : [BIN, ...args]
  const child = spawn(file, parameters, {
    cwd: options.cwd,
    env: plain(options.env ?? {}),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('close', () => running.delete(child))
  const { stdout, stderr } = collect(child)
  const baseUrl = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const ready = /is ready on (\S+)|"baseUrl":"([^"]+)"/.exec(stdout())
      if (ready) resolve((ready[1] ?? ready[2]) as string)
    })
    child.once('close', (code) =>
      reject(new Error(`ended with ${code} before it was ready:\n${stdout()}${stderr()}`)),
    )
  })
  const ended = once(child, 'close')
  return {
    child,
    baseUrl,
    origin: new URL(baseUrl).origin,
    stdout,
    stderr,
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      const [code, by] = await ended
      return { code, signal: by }
    },
  }
}

/** For afterEach: nothing that a test has started outlives it. */
export async function stopAll(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      child.kill('SIGKILL')
      await once(child, 'close')
    }),
  )
}

function collect(child: ChildProcess) {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  return { stdout: () => stdout, stderr: () => stderr }
}
