import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { variableOf } from '../../src/config/table.ts'
import type { SandboxFetch } from '../../src/web/fetch.ts'
import { hasPart } from '../parts.ts'
import { overSocket } from './over-socket.ts'

/** The options of a Worker, as JSON, by name of the option or variable. */
export type WorkerOptions = Readonly<Record<string, unknown>>

/** Workers in one process of workerd, one for each set of options. */
export interface Workerd {
  /** `fetch` of the Worker with these options. */
  at(options: WorkerOptions): SandboxFetch
  /** Ends the process at once, and starts another one with the same storage. */
  kill(): Promise<void>
  close(): Promise<void>
}

export const hasWorkerd = hasPart(existsSync(program()), 'workerd (npm install)', 'the tests of the Worker')

/** The path of the workerd program, found like its own package does; it has no types. */
function program(file = import.meta.url): string {
  try {
    return (createRequire(file)('workerd') as { readonly default: string }).default
  } catch {
    return ''
  }
}

// workerd closes a connection that was idle for 15 s. A request that a busy machine sends on it at that moment has no
// answer.
const agent = new Agent({ keepAlive: false })

let bundle: Promise<string> | undefined

/** The Worker of the tests as one module. */
async function bundled(): Promise<string> {
  const made = await rolldown({
    input: fileURLToPath(new URL('edge-worker.ts', import.meta.url)),
    platform: 'neutral',
    external: ['cloudflare:workers'],
    resolve: { mainFields: ['module', 'main'], conditionNames: ['import', 'browser', 'default'] },
  })
  const { output } = await made.generate({ codeSplitting: false })
  await made.close()
  return output[0].code
}

/** `folder`: for the storage. */
export async function startWorkerd(all: readonly WorkerOptions[], folder: string): Promise<Workerd> {
  bundle ??= bundled()
  const workers = [...new Set(all.map(textOf))]
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'worker.js'), await bundle)
  writeFileSync(join(folder, 'config.capnp'), configOf(workers, folder))
  let running = await serve(folder, workers.length)
  return {
    at(options) {
      const i = workers.indexOf(textOf(options))
      return async (input, init) =>
        overSocket(running.ports[i] as number, agent)(...(await plain(input, init)))
    },
    async kill() {
      await running.kill()
      running = await serve(folder, workers.length)
    },
    close: () => running.kill(),
  }
}

/** A request as a path and its init. */
async function plain(
  input: Parameters<SandboxFetch>[0],
  init?: RequestInit,
): Promise<[target: string, init?: RequestInit]> {
  if (!(input instanceof Request)) return [String(input), init]
  const { pathname, search } = new URL(input.url)
  const body = input.body && (await input.arrayBuffer())
  return [pathname + search, { method: input.method, headers: input.headers, ...(body && { body }) }]
}

const textOf = (options: WorkerOptions): string => JSON.stringify(options)

const quoted = (text: string): string => JSON.stringify(text)

function configOf(workers: readonly string[], folder: string): string {
  const services = workers.map((_, i) => `(name = "w${i}", worker = .w${i})`)
  const sockets = workers.map(
    (_, i) => `(name = "s${i}", address = "127.0.0.1:0", http = (), service = "w${i}")`,
  )
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "disk", disk = (path = ${quoted(folder)}, writable = true)),
    (name = "internet", network = (allow = ["public", "private"])),
    ${services.join(', ')},
  ],
  sockets = [ ${sockets.join(', ')} ],
);
${workers.map(workerOf).join('\n')}
`
}

function workerOf(options: string, i: number): string {
  const variables = Object.entries(JSON.parse(options)).map(
    ([name, value]) =>
      `(name = ${quoted(/^(PETSTORE|OTEL)_/.test(name) ? name : variableOf(name as 'port'))}, json = ${quoted(JSON.stringify(value))})`,
  )
  return `const w${i} :Workerd.Worker = (
  modules = [ (name = "worker.js", esModule = embed "worker.js") ],
  compatibilityDate = "2026-10-01",
  durableObjectNamespaces = [ (className = "TestWorld", uniqueKey = "w${i}", enableSql = true) ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [ (name = "WORLD", durableObjectNamespace = "TestWorld"), ${variables.join(', ')} ],
);`
}

async function serve(folder: string, count: number) {
  const names = Array.from({ length: count }, (_, i) => `s${i}`)
  const { ports, process } = await runWorkerd(['config.capnp', 'config'], names, { cwd: folder })
  const kill = () => endOf(process, 'SIGKILL')
  return { ports: names.map((name) => ports.get(name)), kill }
}

/**
 * Starts workerd with a configuration. Resolves when it listens on the named sockets. `of`: the file whose package it
 * is.
 */
export async function runWorkerd(
  args: readonly string[],
  sockets: readonly string[],
  {
    cwd,
    env = process.env,
    of,
  }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv; readonly of?: string },
): Promise<{ readonly process: ChildProcess; readonly ports: ReadonlyMap<string, number> }> {
  const child = spawn(program(of), ['serve', '--experimental', '--control-fd=3', ...args], {
    cwd,
    env,
    // Its warnings are expected here, because tests kill it.
    stdio: ['ignore', 'ignore', process.env.WORKERD_LOG ? 'inherit' : 'ignore', 'pipe'],
  })
  const ports = new Map<string, number>()
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error('workerd ended before it listened; WORKERD_LOG=1 shows why.')))
    let text = ''
    child.stdio[3]?.on('data', (chunk: Buffer) => {
      text += chunk
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        const { event, socket, port } = JSON.parse(line) as { event: string; socket: string; port: number }
        if (event === 'listen') ports.set(socket, port)
      }
      if (sockets.every((name) => ports.has(name))) resolve()
    })
  })
  return { process: child, ports }
}

/** Ends a process, and waits until it has ended. */
export async function endOf(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}
