import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type Program, start, stopAll } from '../support/program.ts'
import { launchChromium } from './chromium.ts'

let browser: Browser
export let context: BrowserContext
export let page: Page
/** The sandbox whose page is shown. */
export let program: Program
/** Unexpected errors: of scripts, of the content security policy, and requests to other hosts. */
let wrong: string[] = []

/** Gives the tests of a file a browser, and ends the page and the sandbox of each of them. */
export function withBrowser(): void {
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.log(`${page.url()}:\n${await page.innerText('body')}`)
    await context?.close()
    await stopAll()
    expect(wrong).toEqual([])
  })
}

export function setProgram(given: Program): void {
  program = given
}

export async function open(hash = '', args: readonly string[] = [], options: object = {}): Promise<void> {
  program = await start(['--port', '0', '--memory', '--log', 'silent', ...args])
  await visit(hash, options)
}

export async function visit(hash = '', options: object = {}): Promise<void> {
  wrong = []
  context = await browser.newContext({ viewport: { width: 1440, height: 860 }, ...options })
  page = await context.newPage()
  page.setDefaultTimeout(60_000)
  watch(page)
  await page.goto(`${program.origin}/_sandbox/${hash}`)
}

function watch(watched: Page): void {
  watched.on('pageerror', ({ message }) => wrong.push(message))
  watched.on('console', (message) => {
    // Chromium itself logs every refused or broken request.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
      wrong.push(message.text())
  })
  watched.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(program.origin) && !/^(data|blob):/.test(url)) wrong.push(url)
  })
}

export const api = (
  path: string,
  { key = 'psk_pro', body, test }: { key?: string; body?: unknown; test?: string } = {},
) =>
  fetch(program.baseUrl + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      ...(test && { baggage: `test.name=${encodeURIComponent(test)}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
    .then((response) => response.text())
    // A fault rule lost some of them.
    .catch(() => '')
export const control = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`${program.origin}/_sandbox${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return text === '' ? undefined : JSON.parse(text)
}
/** Lets the requests of the page for a URL wait until the returned function is called. */
export async function holdBack(url: string): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(url, async (route) => {
    await released
    await route.continue()
  })
  return release
}
export const button = (name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
export const row = (text: string | RegExp) => page.locator('[data-row]').filter({ hasText: text }).first()
export const rows = () => page.locator('[data-row]').allInnerTexts()
export const command = () => page.locator('.footer output')
export const pets = async () => (await control('GET', '/pets')).length
export const hash = () => new URL(page.url()).hash
export const focusedText = () => page.evaluate(() => document.activeElement?.textContent)
export const titleOf = () => page.title()
export const copied = () => page.evaluate(() => navigator.clipboard.readText())
