import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** The path of a file in the folder of package.json, wherever the bundler put this code. */
export const packageFile = (name: string): string =>
  fileURLToPath(new URL(name, packageFolder(import.meta.url)))

/** The folder of package.json at or above a file. */
export function packageFolder(file: string): URL {
  let folder = new URL('./', file)
  while (!existsSync(new URL('package.json', folder))) {
    const above = new URL('../', folder)
    if (above.href === folder.href)
      throw new Error(
        `There is no package.json above ${file}, so the files of petstore-sandbox are not there; leave the package out of your bundle`,
      )
    folder = above
  }
  return folder
}

/** Assets that were requested before. Their names contain a hash, so that they never change. */
const assets = new Map<string, Uint8Array<ArrayBuffer>>()

/** A built file of the inspector, such as `index.html.br`; undefined if there is none. */
export async function pageFile(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const known = assets.get(name)
  if (known) return known
  const bytes = await readFile(packageFile(`dist/inspector/${name}`)).catch(() => undefined)
  if (bytes && name.startsWith('assets/')) assets.set(name, bytes)
  return bytes
}
