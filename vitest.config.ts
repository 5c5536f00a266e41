import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'
import { slowest } from './test/support/slowest.ts'

/** Files that mock or reload modules, or measure memory, and therefore need their own modules and heap. */
const ALONE = [
  'test/api/fake-timers.test.ts',
  'test/control/{search,socket}.test.ts',
  'test/fixtures/shipped.test.ts',
  'test/fuzz/{api,at-once}.test.ts',
]

/** Tests of the program as a child process. */
const COMMANDS = ['test/cli/{detach,exec,outputs,proxy,start}.test.ts']

/** Tests of files, sockets and processes. */
const NODE = ['test/{edge,leaks,node}/**/*.test.ts']

/** Tests in Chromium, of the projects of examples/ and of the package, which do not depend on the version of Node. */
const PAGES = [
  'test/e2e/{browser,inspector,inspector-live,inspector-tasks,inspector-views,inspector-widths,package,playwright,recipes,site,vite}.test.ts',
]

const built = { globalSetup: 'test/support/build.ts' }

/** Tests that run after `code`, in the order of their groups; in a group, while one waits, another one continues. */
const afterCode = (groupOrder: 1 | 2, test: NonNullable<TestProjectInlineConfiguration['test']>) => ({
  extends: true as const,
  test: {
    ...test,
    // Tests of files, sockets and commands often wait, so that there is one worker more than processors.
    ...(groupOrder === 1 && { maxWorkers: availableParallelism() + 1 }),
    sequence: { groupOrder },
  },
})

export default defineConfig({
  test: {
    // These end what hangs; a machine that is busy with other work needs much longer than the defaults.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: '100%',
    reporters: ['default', slowest],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'code',
          include: ['test/**/*.test.ts'],
          exclude: ['test/{compat,e2e}/**', ...COMMANDS, ...NODE, ...ALONE],
          // Modules are loaded once per worker instead of once per file, which halves the processor time of small files.
          isolate: false,
        },
      },
      afterCode(1, { name: 'node', include: [...NODE, ...ALONE] }),
      afterCode(1, { name: 'commands', include: COMMANDS, ...built }),
      afterCode(2, { name: 'program', include: ['test/e2e/*.test.ts'], exclude: PAGES, ...built }),
      afterCode(2, { name: 'pages', include: PAGES, ...built }),
    ],
    coverage: {
      include: ['src/**/*.{ts,tsx}'],
      // The page runs in Chromium, where coverage is not measured.
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
