import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core'
import { CHROMIUM_FLAGS, chromiumPath } from '../../e2e/chromium.ts'
import type { Comparison } from '../comparison.ts'
import { type BenchRequest, petRequests, SANDBOX } from '../contenders.ts'
import type { Bench } from '../context.ts'
import { GROWTH, KEY_PRESS, PAGE } from '../goals.ts'
import { CONNECTIONS, load, startLoad } from '../load.ts'
import { processorMs } from '../machine.ts'
import { inTurn } from '../rounds.ts'
import { SCRATCH } from '../scratch.ts'
import { type Server, start } from '../server.ts'

const RATE = 2000
/** A rate below the maximum. */
const STEADY_RATE = 8000
const STEADY_SECONDS = 2
/** The rate of events of the page, and the pause between its calls. */
const RATE_OF_PAGE = 30
const CALLS_EVERY_MS = 1000
const pauseFor = (rate: number): number => (1000 * CONNECTIONS) / rate
/** The page keeps 2,000 requests (`REMEMBERED`), which takes a minute: it receives 30 single requests a second. */
const FULL = /^2,000 requests/
const FULL_WITHIN_MS = 120_000
/** After this time no request is left that was in memory when the keys were pressed. */
const REPLACED_WITHIN_MS = 90_000
/** The time between the two readings of its memory. */
const LATER_MS = 15_000
const PRESSES = 60
const BETWEEN_PRESSES_MS = 120

const { list } = petRequests('/v1')
/** A small list, as a client under load reads it. */
const request: BenchRequest = { ...list, path: `${list.path}?limit=1` }

/** The inspector in Chromium during load: its cost for the server, and its own response time. */
export async function pageRows(bench: Bench): Promise<Comparison[]> {
  const calls = await costRow(bench, 'the calls of a page', callAsPage)
  const open = await within('chrt --idle 0', bench, (_, browser) =>
    costRow(bench, 'a page open', (server) => openBriefly(browser, server)),
  )
  return [calls, open, ...(await within('', bench, answerRows))]
}

/** `by` is the command that starts Chromium. */
async function within<Found>(
  by: string,
  bench: Bench,
  rows: (bench: Bench, browser: Browser) => Promise<Found>,
): Promise<Found> {
  if (!chromiumPath)
    throw new Error('The page is measured in Chromium, which is not here: name it in CHROMIUM_PATH.')
  const executablePath = join(SCRATCH, `chromium${by && '-idle'}`)
  writeFileSync(executablePath, `#!/bin/sh\nexec ${by} '${chromiumPath}' "$@"\n`, { mode: 0o755 })
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS })
  try {
    return await rows(bench, browser)
  } finally {
    await browser.close()
  }
}

/**
 * The cost of the page for the server is measured as requests per millisecond of the server's processor time, at a fixed
 * rate. At the maximum rate the server answers many requests together, and fewer if Chromium takes time from the load,
 * which runs on the same core; that alone makes each answer more expensive. For this reason the calls of a page are also
 * measured without Chromium. Two servers are loaded in turn, and the page is open at one, then at the other, since no
 * two processes are compiled alike.
 */
async function costRow(
  bench: Bench,
  how: string,
  look: (server: Server) => Promise<AsyncDisposable>,
): Promise<Comparison> {
  const { longRounds, slices, warmUp } = bench.size
  const ours: number[] = []
  const figures: number[] = []
  for (let round = 1; round <= longRounds; round++) {
    bench.progress(`${how}, round ${round} of ${longRounds}`)
    await using first = await start(bench, SANDBOX, { underLoad: true })
    await using second = await start(bench, SANDBOX, { underLoad: true })
    for (const server of [first, second]) await load(server, request, 2 * warmUp)
    for (const [looked, other] of [
      [first, second],
      [second, first],
    ] as const) {
      await using _ = await look(looked)
      await steadily(looked)
      for (let slice = 0; slice < slices / 2; slice++) {
        ours.push(await steadily(looked))
        figures.push(await steadily(other))
      }
    }
  }
  return {
    what: `GET /v1/pets by processor at ${STEADY_RATE}/s, ${how}`,
    unit: '/ms',
    ours,
    against: { name: 'without', figures },
    goal: PAGE,
  }
}

async function openBriefly(browser: Browser, server: Server): Promise<AsyncDisposable> {
  const page = await open(browser, server)
  return { [Symbol.asyncDispose]: () => page.close() }
}

/** Follows the events and reads the keys as the page does. */
async function callAsPage({ url }: Server): Promise<AsyncDisposable> {
  const ended = new AbortController()
  const { signal } = ended
  const events = await fetch(`${url}/_sandbox/events?rate=${RATE_OF_PAGE}`, { signal })
  const reading = (async () => {
    for await (const _ of events.body ?? []);
  })().catch(() => {})
  const calls = setInterval(() => {
    fetch(`${url}/_sandbox/keys`, { signal })
      .then((response) => response.text())
      .catch(() => {})
  }, CALLS_EVERY_MS)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(calls)
      ended.abort()
      await reading
    },
  }
}

/** The requests per millisecond of processor time. */
async function steadily({ url, pid }: Server): Promise<number> {
  const before = processorMs(pid)
  const steady = await startLoad(url, request, STEADY_SECONDS, pauseFor(STEADY_RATE))
  const { requests } = await steady.result
  return requests / (processorMs(pid) - before)
}

/** At 2,000 requests a second: the time of key presses, and the memory when the page is full and later. */
async function answerRows(bench: Bench, browser: Browser): Promise<Comparison[]> {
  const { size } = bench
  const entry = { name: 'inspector' }
  const found = await inTurn(bench, 'key presses', size.longRounds, [entry], async () => {
    await using server = await start(bench, SANDBOX, { underLoad: true })
    const page = await open(browser, server)
    const session = await page.context().newCDPSession(page)
    const seconds = (FULL_WITHIN_MS + REPLACED_WITHIN_MS + 2 * LATER_MS) / 1000 + PRESSES
    const running = await startLoad(server.url, request, seconds, pauseFor(RATE))
    await page.locator('.amount', { hasText: FULL }).waitFor({ timeout: FULL_WITHIN_MS })
    // Before the memory is read: the views that the keys open add code and documents to the heap once.
    const presses = await pressKeys(page)
    await pause(REPLACED_WITHIN_MS)
    const full = await heapMiB(session)
    await pause(LATER_MS)
    const after = await heapMiB(session)
    running.stop()
    const { rate } = await running.result
    await page.close()
    presses.sort((a, b) => a - b)
    return { rate, full, after, median: presses[PRESSES >> 1] ?? 0, slowest: presses.at(-1) ?? 0 }
  })
  const of = (what: 'rate' | 'full' | 'after' | 'median' | 'slowest'): number[] =>
    (found.get(entry.name) ?? []).map((figures) => figures[what])
  return [
    { what: 'rate while keys are pressed', unit: '/s', ours: of('rate') },
    { what: 'key press until painted, median', unit: 'ms', ours: of('median') },
    {
      what: `key press until painted, slowest of ${PRESSES}`,
      unit: 'ms',
      ours: of('slowest'),
      goal: KEY_PRESS,
    },
    {
      what: 'heap of the page',
      unit: 'MiB',
      ours: of('after'),
      against: { name: 'once it was full', figures: of('full') },
      goal: GROWTH,
    },
  ]
}

async function open(browser: Browser, { url }: Server): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 860 } })
  await page.goto(`${url}/_sandbox/`)
  await page.locator('.live', { hasText: 'live' }).waitFor()
  return page
}

/** The milliseconds from each key press until its effect is painted. */
async function pressKeys(page: Page): Promise<number[]> {
  await page.evaluate(() => {
    const painted: number[] = []
    Object.assign(globalThis, { painted })
    addEventListener(
      'keydown',
      ({ timeStamp }) => {
        // The frame that draws the effect begins; the task after it runs when it is painted.
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel()
          port1.onmessage = () => painted.push(performance.now() - timeStamp)
          port2.postMessage('')
        })
      },
      { capture: true },
    )
  })
  for (let i = 0; i < PRESSES; i++) {
    await page.keyboard.press(['j', 'j', 'k', 'Enter', 'Escape'][i % 5] as string)
    await pause(BETWEEN_PRESSES_MS)
  }
  return page.evaluate(() => (globalThis as unknown as { painted: number[] }).painted)
}

/** The memory in use: the smallest of several readings. */
async function heapMiB(session: CDPSession): Promise<number> {
  const readings: number[] = []
  for (let i = 0; i < 10; i++) {
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    readings.push(usedSize / 2 ** 20)
    await pause(700)
  }
  return Math.min(...readings)
}
