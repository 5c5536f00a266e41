import type { Browser, Page } from 'playwright-core'
import type { CoreOptions, createCore } from '../../src/core.ts'
import type { SandboxFetch } from '../../src/web/fetch.ts'
import { launchChromium } from '../e2e/chromium.ts'
import { bundledCore } from './bundled-core.ts'
import type * as Core from './replaying-core.ts'

declare const petstore: typeof Core
declare const core: Awaited<ReturnType<typeof createCore>>

let opened: Promise<{ readonly browser: Browser; readonly page: Page }> | undefined

async function open() {
  const browser = await launchChromium()
  const page = await browser.newPage()
  await page.addScriptTag({ content: await bundledCore() })
  return { browser, page }
}

/** `fetch` of a core with these options that runs in a page of Chromium. */
export async function coreInChromium(options: CoreOptions): Promise<SandboxFetch> {
  opened ??= open()
  const { page } = await opened
  await page.evaluate(async (given) => {
    Object.assign(globalThis, { core: await petstore.createCore(given) })
  }, options as object)
  return async (input, init) => {
    const { status, headers, body } = await page.evaluate(send, await sentOf(input, init))
    return new Response(body, { status, headers })
  }
}

/** Replays a recording in that page. */
export async function replayInChromium(text: string): Promise<Awaited<ReturnType<typeof Core.replayText>>> {
  opened ??= open()
  const { page } = await opened
  return page.evaluate((recording) => petstore.replayText(recording), text)
}

export async function closeChromium(): Promise<void> {
  await (await opened)?.browser.close()
  opened = undefined
}

async function sentOf(input: Parameters<SandboxFetch>[0], init?: RequestInit) {
  const request = input instanceof Request ? input : new Request(new URL(input, 'http://localhost'), init)
  const { pathname, search } = new URL(request.url)
  // As text of one character per byte: Playwright takes seconds for a long array.
  const bytes = request.body ? Buffer.from(await request.arrayBuffer()).toString('latin1') : undefined
  const target = input instanceof Request ? pathname + search : String(input)
  return { target, method: request.method, headers: [...request.headers] as [string, string][], bytes }
}

/** Runs in the page. */
async function send({ target, method, headers, bytes }: Awaited<ReturnType<typeof sentOf>>) {
  const response = await core.fetch(target, {
    method,
    headers,
    ...(bytes !== undefined && { body: Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)) }),
  })
  const body = response.body && (await response.text())
  return { status: response.status, headers: [...response.headers] as [string, string][], body }
}
