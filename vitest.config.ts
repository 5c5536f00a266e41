import { defineConfig } from 'vitest/config'
import { slowest } from './test/support/slowest.ts'

/** Files that replace a module for themselves, which needs a module graph of their own. */
const WITH_MOCKS = [
  'test/control/search.test.ts',
  'test/fixtures/shipped.test.ts',
  'test/fuzz/at-once.test.ts',
]

/** Files, processes and their signals. */
const PROCESSES = ['test/{leaks,node}/**/*.test.ts', 'test/cli/{detach,exec,outputs,proxy,start}.test.ts']

/** The built program in Chromium, and in the projects of examples/: neither depends on the version of Node. */
const PAGES = ['test/e2e/{browser,inspector,playwright,recipes,vite}.test.ts']

/** One file at a time, after the others: what they do depends on when it happens, so nothing runs beside them. */
const alone = (name: string, groupOrder: number, include: string[], exclude: string[] = []) => ({
  extends: true as const,
  test: { name, include, exclude, maxWorkers: 1, sequence: { groupOrder } },
})

export default defineConfig({
  test: {
    testTimeout: 30_000,
    maxWorkers: '100%',
    reporters: ['default', slowest],
    projects: [
      {
        extends: true,
        test: {
          name: 'code',
          include: ['test/**/*.test.ts'],
          exclude: ['test/{compat,e2e}/**', ...PROCESSES, ...WITH_MOCKS],
          // Modules are loaded once a worker instead of once a file: half of the processor time of small files.
          isolate: false,
        },
      },
      alone('processes', 1, [...PROCESSES, ...WITH_MOCKS]),
      alone('program', 2, ['test/e2e/*.test.ts'], PAGES),
      alone('pages', 3, PAGES),
    ],
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
