import { defineConfig } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import { builtins } from './build/builtins.ts'
import { commonjsEntries } from './build/commonjs.ts'
import { emitConfigSchema } from './build/config-schema.ts'
import { notices } from './build/notices.ts'
import { slimPrism } from './build/prism.ts'

const doors = {
  core: 'src/core.ts',
  index: 'src/index.ts',
  jest: 'src/jest.ts',
  playwright: 'src/playwright.ts',
  vite: 'src/vite.ts',
  vitest: 'src/vitest.ts',
  worker: 'src/worker.ts',
}
/** Those that need Node; the core runs wherever web standards are, the Worker where Durable Objects are. */
const { core, worker, ...nodeDoors } = doors
const external = [/^(@playwright\/test|playwright|playwright-core)(\/|$)/, 'expect', 'vite', 'vitest']

const REFERENCES = [
  // AsyncDisposable, for projects whose `lib` ends before it and that have no @types/node.
  ['index', '/// <reference lib="esnext.disposable" />'],
  // Without it, vitest before 3.2 does not see that its interface is augmented.
  ['vitest', '/// <reference types="vitest" />'],
] as const

/** `stoplight` for a module of @stoplight/prism-http. */
const packageOf = (moduleId = ''): string | undefined => /.*\/node_modules\/@?([^/]+)/.exec(moduleId)?.[1]

export default defineConfig([
  {
    input: { cli: 'src/cli/main.ts', ...nodeDoors },
    platform: 'node',
    external,
    // What the oldest supported Node does not know, such as `await using`, becomes what it does.
    transform: { target: 'node20.19' },
    plugins: [slimPrism, builtins, emitConfigSchema, notices('dist/THIRD-PARTY-NOTICES.txt')],
    output: {
      dir: 'dist',
      cleanDir: true,
      chunkFileNames: ({ name, moduleIds }) => `chunks/${packageOf(moduleIds.at(-1)) ?? name}.js`,
      // What every start needs is one file, because each file more costs the start a millisecond or two.
      codeSplitting: {
        groups: [
          // What every command needs; the rest of what a start needs is not loaded by the others.
          {
            name: 'cli',
            test: /\/src\/(cli\/(main|command)|client\/(control|at-point)|world\/(keys\/key|faults\/fault|traffic\/tally))\.ts$/,
            priority: 1,
          },
          {
            name: 'start',
            test: /\/src\/(cli\/commands\/start|compose\/(sandbox|open-sandbox)|node\/store\/file-store)\.ts$/,
          },
        ],
      },
      minify: { compress: true, mangle: true, codegen: { removeWhitespace: true } },
    },
  },
  {
    input: { core },
    platform: 'neutral',
    resolve: { mainFields: ['module', 'main'], conditionNames: ['import', 'browser', 'default'] },
    output: {
      dir: 'dist',
      chunkFileNames: 'chunks/core/[name].js',
      minify: { compress: true, mangle: true, codegen: { removeWhitespace: true } },
    },
  },
  {
    // One file, as it is deployed.
    input: { worker },
    platform: 'neutral',
    external: ['cloudflare:workers'],
    resolve: { mainFields: ['module', 'main'], conditionNames: ['import', 'browser', 'default'] },
    output: { dir: 'dist', codeSplitting: false, minify: true },
  },
  {
    input: doors,
    platform: 'node',
    external: [...external, 'cloudflare:workers'],
    plugins: [dts({ emitDtsOnly: true }), commonjsEntries],
    output: {
      dir: 'dist',
      chunkFileNames: 'types/[name].js',
      banner: ({ name }) => REFERENCES.find(([entry]) => name === `${entry}.d`)?.[1] ?? '',
    },
  },
])
