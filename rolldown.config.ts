import { defineConfig, type Plugin } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import { commonjsEntries } from './build/commonjs.ts'
import { emitConfigSchema } from './build/config-schema.ts'
import { notices } from './build/notices.ts'
import { slimPrism } from './build/prism.ts'
import { shortLines } from './build/short-lines.ts'
import { startChunks } from './build/start-chunks.ts'

const doors = {
  core: 'src/core.ts',
  index: 'src/index.ts',
  jest: 'src/jest.ts',
  playwright: 'src/playwright.ts',
  vite: 'src/vite.ts',
  vitest: 'src/vitest.ts',
  worker: 'src/worker.ts',
}
/** The entries that need Node. Core and Vitest's matchers, which run in a page too, need web standards only. */
const { core, vitest, worker, ...nodeDoors } = doors
const external = [/^(@playwright\/test|playwright|playwright-core)(\/|$)/, 'expect', 'vite', 'vitest']

const REFERENCES = [
  // AsyncDisposable, for projects whose `lib` ends before it and that have no @types/node.
  ['index', '/// <reference lib="esnext.disposable" />'],
  // Without it, Vitest before 3.2 ignores the augmentation of its interface.
  ['vitest', '/// <reference types="vitest" />'],
] as const

/** Lets the types of the Worker compile in a project that lacks those of its runtime: the base class is then unknown. */
const ignoreMissingRuntime: Plugin = {
  name: 'ignore-missing-runtime',
  renderChunk: (code) => code.replace(/^import .+ from "cloudflare:workers";$/m, '// @ts-ignore\n$&'),
}

/** Classes keep their names: for an error that nobody has caught, Node prints that of its class. */
const KEPT = { keepNames: { class: true, function: false } }
const MINIFY = { compress: KEPT, mangle: KEPT, codegen: { removeWhitespace: true } }

/** `stoplight` for a module of @stoplight/prism-http. */
const packageOf = (moduleId = ''): string | undefined => /.*\/node_modules\/@?([^/]+)/.exec(moduleId)?.[1]

export default defineConfig([
  {
    input: { cli: 'src/cli/main.ts', ...nodeDoors },
    platform: 'node',
    external,
    // Syntax that the oldest supported Node lacks, such as `await using`, is transformed.
    transform: { target: 'node20.19' },
    plugins: [slimPrism, shortLines, startChunks, emitConfigSchema, notices('dist/THIRD-PARTY-NOTICES.txt')],
    output: {
      dir: 'dist',
      cleanDir: true,
      chunkFileNames: ({ name, moduleIds }) => `chunks/${packageOf(moduleIds.at(-1)) ?? name}.js`,
      // The modules of every start are one file, since each file takes one or two milliseconds of the start.
      codeSplitting: {
        groups: [
          // The modules of every command; the other modules of a start are loaded by a start only.
          {
            name: 'cli',
            test: /\/src\/(cli\/(main|command)|client\/control|world\/(keys\/key|faults\/fault|traffic\/tally))\.ts$/,
            priority: 1,
          },
          {
            name: 'start',
            test: /\/src\/(cli\/commands\/start|compose\/(sandbox|open-sandbox)|node\/store\/file-store)\.ts$/,
          },
        ],
      },
      minify: MINIFY,
    },
  },
  {
    input: { core },
    platform: 'neutral',
    resolve: { mainFields: ['module', 'main'], conditionNames: ['import', 'browser', 'default'] },
    output: {
      dir: 'dist',
      chunkFileNames: 'chunks/core/[name].js',
      minify: MINIFY,
    },
  },
  {
    input: { vitest },
    platform: 'neutral',
    external: ['vitest'],
    output: { dir: 'dist', codeSplitting: false, minify: MINIFY },
  },
  {
    // One file, for a deployment.
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
    plugins: [dts({ emitDtsOnly: true }), ignoreMissingRuntime, commonjsEntries],
    output: {
      dir: 'dist',
      chunkFileNames: 'types/[name].js',
      banner: ({ name }) => REFERENCES.find(([entry]) => name === `${entry}.d`)?.[1] ?? '',
    },
  },
])
