import { defineConfig } from '@playwright/test'

const sandboxPort = process.env.SANDBOX_PORT ?? '4010'
const pagePort = process.env.PAGE_PORT ?? '8080'

export default defineConfig({
  testDir: 'test',
  workers: 2,
  fullyParallel: true,
  use: {
    baseURL: `http://localhost:${pagePort}`,
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH,
      args: process.env.CHROMIUM_FLAGS?.split(' '),
    },
  },
  webServer: [
    {
      command: `petstore-sandbox --memory --port ${sandboxPort}`,
      url: `http://localhost:${sandboxPort}/_sandbox/health`,
      gracefulShutdown: { signal: 'SIGTERM', timeout: 2000 },
    },
    {
      command: `node page/serve.js ${pagePort}`,
      url: `http://localhost:${pagePort}/`,
      gracefulShutdown: { signal: 'SIGTERM', timeout: 2000 },
    },
  ],
})
