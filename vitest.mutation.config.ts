import { defineConfig } from 'vitest/config'

/** What `npm run mutation` runs for each change that it makes in the domain. */
export default defineConfig({
  test: { include: ['test/domain/**/*.test.ts'] },
})
