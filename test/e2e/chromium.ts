import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { hasPart } from '../parts.ts'

const CANDIDATES = [
  process.env.CHROMIUM_PATH,
  // Chromium without windows, as Playwright uses it: it takes less processor time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

export const chromiumPath = CANDIDATES.find((path) => path !== undefined && existsSync(path))

export const hasChromium = hasPart(
  chromiumPath !== undefined,
  'Chromium (in CHROMIUM_PATH, or the package chromium or chromium-headless-shell)',
  'the browser tests',
)

/** Flags for containers, which lack the process sandbox, and against calls to Google. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    ...(chromiumPath && { executablePath: chromiumPath }),
    args: CHROMIUM_FLAGS,
  })
