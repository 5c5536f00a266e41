import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const CANDIDATES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

const executablePath = CANDIDATES.find((path) => path !== undefined && existsSync(path))

/** False where there is no Chromium, and says so; in CI there must be one. */
export const hasChromium = ((): boolean => {
  if (executablePath) return true
  if (process.env.CI) throw new Error('CI needs Chromium for the browser tests; .ci/run installs it')
  console.warn(
    'Skipped: the browser tests need Chromium (set CHROMIUM_PATH, or install the package chromium).',
  )
  return false
})()

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    ...(executablePath && { executablePath }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
