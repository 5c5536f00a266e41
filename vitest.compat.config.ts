import { defineConfig } from 'vitest/config'

/** The tests of `npm run compat`: the sandbox with external tools. */
export default defineConfig({
  test: {
    include: ['test/compat/*.test.ts'],
    maxWorkers: '100%',
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
