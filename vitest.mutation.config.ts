import { defineConfig } from 'vitest/config'

/** What `npm run mutation` runs for each change that it makes in the domain. */
export default defineConfig({
  test: { include: ['test/world/**/*.test.ts'] },
})
