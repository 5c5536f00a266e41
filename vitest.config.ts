import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { slowest } from './test/support/slowest.ts'

/** Files that replace a module for themselves or measure memory, which needs modules and a heap of their own. */
const ALONE = [
  'test/control/{search,socket}.test.ts',
  'test/fixtures/shipped.test.ts',
  'test/fuzz/{api,at-once}.test.ts',
]

/** The program as a process. */
const COMMANDS = ['test/cli/{detach,exec,outputs,proxy,start}.test.ts']

/** Files, sockets, and processes that end in many ways. */
const NODE = ['test/{leaks,node}/**/*.test.ts']

/** The program in Chromium, and in the projects of examples/: neither depends on the version of Node. */
const PAGES = ['test/e2e/{browser,inspector,inspector-tasks,playwright,recipes,site,vite}.test.ts']

const built = { globalSetup: 'test/support/build.ts' }

const group = (groupOrder: number, test: NonNullable<TestProjectInlineConfiguration['test']>) => ({
  extends: true as const,
  test: { ...test, sequence: { groupOrder } },
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
          exclude: ['test/{compat,e2e}/**', ...COMMANDS, ...NODE, ...ALONE],
          // Modules are loaded once a worker instead of once a file: half of the processor time of small files.
          isolate: false,
        },
      },
      // Groups run one after the other, files of a group side by side.
      group(1, { name: 'node', include: [...NODE, ...ALONE] }),
      group(1, { name: 'commands', include: COMMANDS, ...built }),
      // One file at a time: where others run beside them, kills and pages once came too late.
      group(2, { name: 'program', include: ['test/e2e/*.test.ts'], exclude: PAGES, maxWorkers: 1, ...built }),
      group(3, { name: 'pages', include: PAGES, maxWorkers: 1, ...built }),
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
