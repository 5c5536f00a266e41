import { fileURLToPath } from 'node:url'
import { endChild, output, startChild } from './children.ts'
import type { BenchRequest } from './contenders.ts'
import { processorMs } from './machine.ts'

export const CONNECTIONS = 32
const ONE_ANSWER_MS = 10_000
const SCRIPT = fileURLToPath(new URL('load.lua', import.meta.url))

export interface Load {
  readonly requests: number
  /** Requests per second. */
  readonly rate: number
}

export interface MeasuredLoad extends Load {
  /** Processor time of the server per request, in microseconds. It varies less than a rate. */
  readonly cost: number
}

/** The version of wrk. It is written in C: a load written in JavaScript is slower than the servers that it measures. */
export async function wrkVersion(): Promise<string> {
  // wrk prints its version and exits with 1.
  const versionText = await output(['wrk', '-v'], { timeoutMs: 5000 }).catch((error: Error) => error.message)
  const version = /wrk (?:debian\/)?([\d.]+[^\s]*)/.exec(versionText)?.[1]
  if (version) return version
  throw new Error('The load comes from wrk, which is not here. Install it (Debian: apt install wrk).')
}

/**
 * Sends a request on all connections for some seconds. Rejects if a response was an error or missing, or if the first or
 * the last response has another status than expected.
 */
export async function load(
  { url, pid }: Loaded,
  request: BenchRequest,
  seconds: number,
): Promise<MeasuredLoad> {
  await check(url, request)
  const before = processorMs(pid)
  const running = await startLoad(url, request, seconds)
  const result = await running.result
  const cost = ((processorMs(pid) - before) * 1000) / result.requests
  await check(url, request)
  return { ...result, cost }
}

interface Loaded {
  readonly url: string
  readonly pid: number
}

/** A load that can be ended early. `pauseMs` is the pause before each request of a connection. */
export async function startLoad(
  url: string,
  request: BenchRequest,
  seconds: number,
  pauseMs?: number,
): Promise<{ result: Promise<Load>; stop: () => void }> {
  const child = await startChild(commandOf(url, request, seconds, pauseMs), {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.process.stdout?.on('data', (data) => {
    printed += data
  })
  const late = setTimeout(() => void endChild(child), seconds * 1000 + 10_000)
  const result = child.ended.then(() => {
    clearTimeout(late)
    return resultOf(printed, request)
  })
  // A caller that does not wait for the result does not see a failure.
  result.catch(() => {})
  return { result, stop: () => child.process.kill('SIGINT') }
}

/** Sends a request once. Rejects if the status is not the expected one. */
export async function check(url: string, request: BenchRequest): Promise<Response> {
  const headers = { ...request.headers, ...(request.keyLasts && { authorization: `Bearer ${freshKey()}` }) }
  const response = await fetch(url + request.path, {
    method: request.method,
    headers,
    body: request.body ?? null,
    signal: AbortSignal.timeout(ONE_ANSWER_MS),
  })
  if (response.status === request.status) return response
  const text = await response.text()
  throw new Error(
    `${request.method} ${request.path} was answered with ${response.status} ${text.slice(0, 200)}`,
  )
}

function commandOf(
  url: string,
  { method, path, headers, body, keyLasts }: BenchRequest,
  seconds: number,
  pauseMs?: number,
): string[] {
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const keys = keyLasts ? [String(keyLasts), freshKey()] : pauseMs === undefined ? [] : ['', '']
  const pause = pauseMs === undefined ? [] : [String(pauseMs)]
  const load = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', SCRIPT]
  return ['wrk', ...load, ...fields, url + path, '--', method, body ?? '', ...keys, ...pause]
}

function resultOf(printed: string, { method, path }: BenchRequest): Load {
  const line = printed.trimEnd().split('\n').at(-1) ?? ''
  if (!line.startsWith('{')) throw new Error(`wrk ended without a result: ${printed}`)
  const { requests, microseconds, refused, broken } = JSON.parse(line) as Record<string, number>
  if (!requests || !microseconds) throw new Error(`${method} ${path}: not one answer`)
  if (refused || broken) {
    throw new Error(`${method} ${path}: of ${requests} answers ${refused} were errors; ${broken} were none`)
  }
  return { requests, rate: requests / (microseconds / 1e6) }
}

let keys = 0

const freshKey = (): string => `sk_test_${process.pid}_${keys++}_`
