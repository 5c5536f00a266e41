import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/compat/**'],
    testTimeout: 30_000,
    coverage: {
      include: ['src/**/*.{ts,tsx}'],
      // The page runs in Chromium, whose coverage is not counted here.
      exclude: ['src/contract/generated/**', 'src/inspector/**'],
      reporter: ['text-summary', 'html'],
      thresholds: {
        lines: 90,
        branches: 85,
        'src/world/**': { lines: 98, branches: 95 },
        'src/api/**': { lines: 98, branches: 95 },
      },
    },
  },
})
