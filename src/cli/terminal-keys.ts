import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { connectControl } from '../client/control.ts'
import type { Sandbox } from '../compose/sandbox.ts'
import { DEFAULT_ORIGIN } from '../world/traffic/address.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import type { Io } from './command.ts'

/** The keys of a running sandbox, each followed by Enter. */
const KEYS: Readonly<
  Record<string, { help: string; act(sandbox: Sandbox, io: Io, token?: string): unknown }>
> = {
  o: {
    help: 'open the inspector',
    act: ({ controlUrl }, io) => {
      io.talk(`${controlUrl}/\n`)
      open(`${controlUrl}/`)
    },
  },
  r: {
    help: 'reset the namespace default to the start fixture',
    act: async ({ fetch }, io, token) => {
      const address = { url: DEFAULT_ORIGIN, namespace: DEFAULT_NAMESPACE, token, fetch }
      await connectControl({ ...address, caller: 'command line' }).call('POST', '/reset')
      io.talk('Reset the namespace default.\n')
    },
  },
  c: { help: 'clear the screen', act: (_, io) => io.out('\u001b[2J\u001b[3J\u001b[H') },
  q: { help: 'quit', act: () => void process.kill(process.pid, 'SIGTERM') },
  h: { help: 'show this help', act: (_, io) => io.talk(helpText()) },
}

const helpText = (): string =>
  Object.entries(KEYS)
    .map(([key, { help }]) => `  ${key} + Enter  ${help}\n`)
    .join('')

/** Reads keys if stdin is a terminal. `token`: the control token. Returns a function that stops it. */
export function listenToTerminal(sandbox: Sandbox, io: Io, token?: string): () => void {
  if (io.input.isTTY !== true || isInBackground()) return () => {}
  io.talk(`${io.talkPaint.dim('Type h and Enter for help.')}\n`)
  const lines = createInterface({ input: io.input })
  lines.on('line', (typed) => {
    const name = typed.trim()
    if (name === '') return
    const key = Object.hasOwn(KEYS, name) ? KEYS[name] : undefined
    if (!key)
      return io.talk(
        `"${name.slice(0, 20).replace(/[^\x20-\x7e]/g, '?')}" is not a key; use one of these:\n${helpText()}`,
      )
    Promise.resolve(key.act(sandbox, io, token)).catch((error: Error) => io.talk(`${error.message}\n`))
  })
  return () => lines.close()
}

/** Keys that arrive within this time, in milliseconds, were typed before the prompt and are ignored. */
const TYPED_BEFORE = 200

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Waits for a key or a signal; returns at once if no key can come. */
export async function untilKey({ controlUrl }: Sandbox, { input, talk }: Io): Promise<void> {
  if (input.isTTY !== true || isInBackground())
    return talk('--inspect waits for a key, and no terminal can send one here: the sandbox ends.\n')
  talk(`The sandbox stays open at ${controlUrl}/ until a key is pressed.\n`)
  input.setRawMode?.(true)
  input.resume()
  await new Promise((resolve) => setTimeout(resolve, TYPED_BEFORE))
  const over = new AbortController()
  const next = (from: NodeJS.EventEmitter, event: string) => once(from, event, { signal: over.signal })
  try {
    // At the end of the input the terminal was closed, and no key can follow.
    const signals = ENDING.map((name) => next(process, name))
    await Promise.race([next(input, 'data'), next(input, 'end'), ...signals])
  } finally {
    over.abort()
    input.setRawMode?.(false)
    input.pause()
  }
}

/** True for `start &`: the system stops a background process that reads from its terminal. */
function isInBackground(): boolean {
  if (process.platform === 'win32') return false
  const [group, foreground] = processGroups()
  // -1: it has no controlling terminal.
  return foreground !== '-1' && group !== foreground
}

/** The process group of this process, and the foreground group of its terminal. */
function processGroups(): readonly (string | undefined)[] {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return [fields[2], fields[5]]
  } catch {
    const { stdout } = spawnSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)], {
      encoding: 'utf8',
    })
    return stdout?.trim().split(/\s+/) ?? []
  }
}

const OPENERS: Partial<Record<string, string[]>> = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }

/** Opens a URL in the default browser; without one, nothing happens. */
function open(url: string): void {
  const [program = 'xdg-open', ...args] = OPENERS[process.platform] ?? []
  spawn(program, [...args, url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}
