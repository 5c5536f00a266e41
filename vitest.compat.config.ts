import { defineConfig } from 'vitest/config'

/** What `npm run compat` runs: the sandbox with other people's tools. */
export default defineConfig({
  test: { include: ['test/compat/*.test.ts'], testTimeout: 300_000, hookTimeout: 300_000 },
})
