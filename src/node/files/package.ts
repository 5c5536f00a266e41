import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import manifest from '../../../package.json' with { type: 'json' }

export const version: string = manifest.version

/** A file of the package: beside package.json, wherever the bundler put this code. */
export function packageFile(name: string): string {
  let folder = new URL('./', import.meta.url)
  while (!existsSync(new URL('package.json', folder))) folder = new URL('../', folder)
  return fileURLToPath(new URL(name, folder))
}

/** The folder of the fixtures that ship. */
export const fixturesFolder = (): string => packageFile('fixtures/')
