import { defineConfig } from '@playwright/test'
import type { SandboxTestOptions, SandboxWorkerOptions } from 'petstore-sandbox/playwright'

const pagePort = process.env.PAGE_PORT ?? '8080'

export default defineConfig<SandboxTestOptions, SandboxWorkerOptions>({
  testDir: 'test',
  workers: 2,
  fullyParallel: true,
  use: {
    baseURL: `http://localhost:${pagePort}`,
    // The address of the API in the page; its requests go to the sandbox of the worker.
    apiUrls: ['http://localhost:4010/v1'],
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH,
      args: process.env.CHROMIUM_FLAGS?.split(' '),
    },
  },
  webServer: {
    command: `node page/serve.js ${pagePort}`,
    url: `http://localhost:${pagePort}/`,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 2000 },
  },
})
