import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SandboxOptions } from '../config/settings.ts'
import { UsageError } from '../config/usage-error.ts'
import { jsonOf } from '../contract/openapi/json.ts'
import { makeFolder } from '../node/files/make-folder.ts'
import { CONTROL_PATH, DEFAULT_PORT } from '../world/traffic/address.ts'
import { urlHost } from '../world/traffic/peer.ts'
import { codeOf, Exit } from './exit-code.ts'
import { guarded } from './values.ts'

/** A started server: the facts of its ready line and ready file. */
interface Started {
  readonly baseUrl: string
  readonly controlUrl: string
  readonly port: number
  close(): Promise<void>
}

/** Starts a server, explains why it cannot listen, and writes the ready file if requested. */
export async function startup<T extends Started>(
  open: () => Promise<T>,
  { host = 'localhost', port = DEFAULT_PORT }: Pick<SandboxOptions, 'host' | 'port'>,
  readyFile: string | undefined,
): Promise<T> {
  if (readyFile !== undefined) clearReadyFile(readyFile)
  const opened = await open().catch(async (error: unknown) => {
    throw await explainListenError(error, host, port)
  })
  try {
    if (readyFile !== undefined) writeReadyFile(readyFile, eventLine(opened))
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** The ready event as a line of JSON, for `--log json` and the ready file. */
export const eventLine = ({ baseUrl, controlUrl, port }: Started): string =>
  `${JSON.stringify({ event: 'ready', baseUrl, controlUrl, port, pid: process.pid })}\n`

/** A UsageError that explains why the sandbox cannot listen; any other error unchanged. */
export async function explainListenError(error: unknown, host: string, port: number): Promise<unknown> {
  const { code, path }: Partial<NodeJS.ErrnoException> = Object(error)
  if (code === 'EADDRINUSE')
    return new UsageError(
      `Port ${port} of ${host} is in use by ${await holderOf(host, port)}`,
      'Stop that program, or use another port: --port 0 takes any free one',
    )
  if (code === 'EACCES' && path === undefined)
    return new UsageError(
      `There is no permission to listen on port ${port} of ${host}`,
      'Use another port from 1024 on: --port 0 takes any free one',
    )
  if (path === undefined && /^(?:EADDRNOTAVAIL|EAFNOSUPPORT|EAI_AGAIN|EINVAL|ENOTFOUND)$/.test(code ?? ''))
    return new UsageError(
      `--host: "${host}" is not an address of this machine (${code})`,
      'use one such as localhost or 0.0.0.0',
    )
  return error
}

/** The time that a sandbox on a busy machine has to answer. */
const TIMEOUT_MS = 3000

/** The program that uses the port, which is often another sandbox. */
async function holderOf(host: string, port: number): Promise<string> {
  const url = `http://${urlHost(host)}:${port}${CONTROL_PATH}/health`
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => undefined)
  const { status, version } = Object(await response?.json().catch(() => undefined))
  if (status === 'ok' && version) return `another petstore-sandbox (${version})`
  const find = process.platform === 'win32' ? 'netstat -ano | findstr' : 'lsof -i'
  return `another program (find it with ${find} :${port})`
}

/** The line of a ready file is shorter than this, in bytes. */
const LONGEST = 4096

/**
 * Removes the ready file of an earlier start, so that a waiting program does not read it. Throws a UsageError, and
 * removes nothing, if the file is not a ready file.
 */
function clearReadyFile(file: string): void {
  guarded('--ready-file', file, () => {
    const found = lstatSync(file, { throwIfNoEntry: false })
    if (!found) return
    const isReadyFile = found.isFile() && found.size <= LONGEST && isReadyLine(readFileSync(file, 'utf8'))
    if (!isReadyFile)
      throw new UsageError(
        `--ready-file: ${file} exists and is not a ready file, so it is not overwritten`,
        'Use another file, or remove this one',
      )
    rmSync(file, { force: true })
  })
}

/** Writes the file atomically: a reader never sees a part of it. It is removed when the process ends. */
function writeReadyFile(file: string, line: string): void {
  guarded('--ready-file', file, () => {
    const draft = `${file}.${process.pid}`
    makeFolder(dirname(file))
    try {
      // Another user of the machine may have placed a link there.
      rmSync(draft, { force: true })
      writeFileSync(draft, line, { flag: 'wx' })
      renameSync(draft, file)
    } finally {
      // It still exists if the disk is full.
      rmSync(draft, { force: true })
    }
  })
  removeAtExit(file, line)
}

/** Removes a file at the end of the process, unless another start has replaced it. */
export function removeAtExit(file: string, content: string): void {
  process.once('exit', () => {
    try {
      if (readFileSync(file, 'utf8') === content) rmSync(file, { force: true })
    } catch {
      // The file was already removed, or the folder is not writable.
    }
  })
}

/** True for an empty file, which mktemp creates, and for the event that a start writes. */
const isReadyLine = (text: string): boolean => text === '' || Object(jsonOf(text)).event === 'ready'

/** Signals within this time are one Ctrl-C, in milliseconds: under npm it arrives from the terminal and from npm. */
export const ONE_PRESS = 100

/** The longest time that unread output delays the end of the process, in milliseconds. */
const UNREAD_OUTPUT_MS = 40

/** Ends the process after shutdown even if its output has not been read. */
export const endUnread = (): void => void setTimeout(() => process.exit(), UNREAD_OUTPUT_MS).unref()

let stopped: Promise<NodeJS.Signals> | undefined

/** Resolves at the first SIGINT, SIGTERM or SIGHUP (its terminal was closed); a second one ends the process at once. */
export function untilStopped(isServer = true): Promise<NodeJS.Signals> {
  // A server does not end because its log cannot be written, such as to a full disk.
  if (isServer) process.stdout.removeAllListeners('error').on('error', () => {})
  stopped ??= new Promise((resolve) => {
    let isOver = false
    const stop = (signal: NodeJS.Signals): void => {
      if (isOver) process.exit(1)
      resolve(signal)
      // After the signals that came while the process was busy, such as with its end.
      setTimeout(() => setImmediate(() => (isOver = true)), ONE_PRESS).unref()
    }
    process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop)
  })
  return stopped
}

/** Aborts at the first of these signals, with an Exit for its exit code. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  const stop = (name: NodeJS.Signals) =>
    stopping.abort(new Exit(codeOf(name), `${name} stopped the run`, 'Run it again'))
  void untilStopped(false).then(stop)
  return stopping.signal
}
