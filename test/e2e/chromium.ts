import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const CANDIDATES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

export const chromiumPath = CANDIDATES.find((path) => path !== undefined && existsSync(path))

/** False where there is no Chromium, and says so; in CI there must be one. */
export const hasChromium = ((): boolean => {
  if (chromiumPath) return true
  if (process.env.CI) throw new Error('CI needs Chromium for the browser tests; .ci/run installs it')
  console.warn(
    'Skipped: the browser tests need Chromium (set CHROMIUM_PATH, or install the package chromium).',
  )
  return false
})()

/** It needs no sandbox of its own to see our pages, and is to call nobody else. */
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
