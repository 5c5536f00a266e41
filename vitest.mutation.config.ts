import { defineConfig } from 'vitest/config'

/** The tests that `npm run mutation` runs for each mutant of the domain. */
export default defineConfig({
  test: { include: ['test/world/**/*.test.ts'] },
})
