import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type OutputOptions, type Plugin, type RolldownOptions } from 'rolldown'
import { slimPrism } from '../../build/prism.ts'
import configs from '../../rolldown.config.ts'
import { type Contender, SANDBOX } from './contenders.ts'
import { SCRATCH } from './scratch.ts'

const project = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

const REPLACED = [{ importer: project('src/world/world.ts'), source: './past.ts', by: 'servers/no-past.ts' }]

/** A build of the sandbox without history, since the history has no switch. */
export async function withoutHistory(): Promise<Contender> {
  const folder = join(SCRATCH, 'without-history')
  const missing = new Set(REPLACED)
  const replace: Plugin = {
    name: 'without-history',
    resolveId(source, importer) {
      const found = REPLACED.find((each) => each.importer === importer && each.source === source)
      if (!found) return null
      missing.delete(found)
      return fileURLToPath(new URL(found.by, import.meta.url))
    },
  }
  const [config] = configs as [RolldownOptions & { readonly output: OutputOptions }]
  mkdirSync(folder, { recursive: true })
  await build({
    ...config,
    input: { cli: project('src/cli/main.ts') },
    plugins: [replace, slimPrism],
    output: { ...config.output, dir: join(folder, 'dist') },
  })
  for (const { importer, source } of missing)
    throw new Error(`${importer} does not import ${source} any more.`)
  for (const name of ['bin', 'package.json', 'fixtures'])
    cpSync(project(name), join(folder, name), { recursive: true })
  symlinkSync(project('node_modules'), join(folder, 'node_modules'))
  return {
    ...SANDBOX,
    name: 'without history',
    command: ({ port }) => [join(folder, 'bin/petstore-sandbox.js'), '--port', port],
  }
}
