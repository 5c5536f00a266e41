import { fileURLToPath } from 'node:url'
import vm from 'node:vm'
import { rolldown } from 'rolldown'
import type * as Core from './replaying-core.ts'

/** The core as one classic script for a page or a worker. It defines `petstore`. */
export async function bundledCore(): Promise<string> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('replaying-core.ts', import.meta.url)),
    platform: 'neutral',
    resolve: { mainFields: ['module', 'main'], conditionNames: ['import', 'browser', 'default'] },
  })
  const { output } = await bundle.generate({ format: 'iife', name: 'petstore', codeSplitting: false })
  await bundle.close()
  return `${output[0].code}\nglobalThis.petstore = petstore`
}

/** Globals that browsers, workers and Node have. */
const WEB = [
  'AbortController',
  'AbortSignal',
  'Blob',
  'DecompressionStream',
  'FormData',
  'Headers',
  'ReadableStream',
  'Request',
  'Response',
  'TextDecoder',
  'TextEncoder',
  'URL',
  'URLSearchParams',
  'atob',
  'btoa',
  'clearTimeout',
  'console',
  'crypto',
  'performance',
  'queueMicrotask',
  'setTimeout',
  'structuredClone',
] as const

let loaded: Promise<typeof Core> | undefined

/** The core in a context that has only what the web standards describe. */
export function coreOfTheWeb(): Promise<typeof Core> {
  loaded ??= bundledCore().then((code) => {
    const context = vm.createContext(Object.fromEntries(WEB.map((name) => [name, globalThis[name]])))
    vm.runInContext(code, context)
    return context.petstore as typeof Core
  })
  return loaded
}

export const createCoreOfTheWeb = async (): Promise<typeof Core.createCore> =>
  (await coreOfTheWeb()).createCore
