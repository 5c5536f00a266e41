import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../support/port.ts'
import { type Child, endChild, startChild } from './children.ts'
import { type BenchRequest, type Contender, PETS, type Place } from './contenders.ts'
import { type Bench, packagesOf } from './context.ts'
import { onServerCore } from './machine.ts'
import { writePage } from './pets.ts'
import { SCRATCH } from './scratch.ts'

const READY_MS = 60_000
const POLL_MS = 1

export interface Server extends AsyncDisposable {
  readonly url: string
  readonly pid: number
  /** Its working directory, which is removed with it. */
  readonly folder: string
  /** The time from the start to the first list, in milliseconds. */
  readonly startMs: number
  end(): Promise<void>
}

export interface StartOptions {
  readonly underLoad: boolean
  /** Options of node before the program, such as --import. */
  readonly nodeOptions?: readonly string[]
}

/** Starts a contender in a new folder and waits for its first list. It ends with its scope. */
export async function start(
  bench: Bench,
  contender: Contender,
  { underLoad, nodeOptions = [] }: StartOptions,
): Promise<Server> {
  const folder = mkdtempSync(join(SCRATCH, 'run-'))
  writePage(join(folder, PETS))
  const place = { folder, packages: await packagesOf(contender), port: String(await freePort()) }
  const more = underLoad ? (contender.underLoad?.(place) ?? []) : []
  const command = [bench.node, ...nodeOptions, ...contender.command(place), ...more]
  const began = performance.now()
  const child = await startQuietly(onServerCore(command), place)
  const end = async (): Promise<void> => {
    await endChild(child)
  }
  const url = `http://127.0.0.1:${place.port}`
  try {
    await answering(url, contender.list, child)
  } catch (error) {
    await end()
    throw new Error(`${(error as Error).message}: ${errorIn(folder)}`)
  }
  const startMs = performance.now() - began
  return {
    url,
    pid: child.pid,
    folder,
    startMs,
    end,
    async [Symbol.asyncDispose]() {
      await end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const logOf = (folder: string): string => join(folder, 'output.log')

/** The first line of the output with an error, otherwise the last line. */
function errorIn(folder: string): string {
  const lines = readFileSync(logOf(folder), 'utf8').trim().split('\n')
  return (lines.find((line) => line.includes('Error')) ?? lines.at(-1)) || 'it printed nothing'
}

async function startQuietly(command: readonly string[], { folder }: Place): Promise<Child> {
  const log = openSync(logOf(folder), 'w')
  try {
    return await startChild(command, { cwd: folder, stdio: ['ignore', log, log] })
  } finally {
    closeSync(log)
  }
}

/** Connects repeatedly until the first response with the expected status. */
async function answering(url: string, expected: BenchRequest, child: Child): Promise<void> {
  const state = { ended: false }
  void child.ended.then(() => {
    state.ended = true
  })
  const giveUpAt = performance.now() + READY_MS
  while ((await statusOf(url, expected)) !== expected.status) {
    if (state.ended) throw new Error('ended before its first answer')
    if (performance.now() > giveUpAt) throw new Error(`did not answer within ${READY_MS / 1000} s`)
    await pause(POLL_MS)
  }
}

const statusOf = (url: string, { path, headers }: BenchRequest): Promise<number | undefined> =>
  new Promise((resolve) => {
    const request = get(url + path, { headers, agent: false, timeout: READY_MS }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(undefined))
  })
