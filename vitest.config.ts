import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/compat/**'],
    testTimeout: 30_000,
    coverage: {
      include: ['src/**/*.{ts,tsx}'],
      exclude: ['src/contract/generated/**'],
      reporter: ['text-summary', 'html'],
      thresholds: {
        lines: 90,
        branches: 85,
        'src/domain/**': { lines: 95, branches: 90 },
        'src/engine/**': { lines: 95, branches: 88 },
      },
    },
  },
})
