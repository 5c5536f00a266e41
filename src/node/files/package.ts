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

/** A built file of the inspector, such as `index.html.br`; undefined if there is none. */
export const pageFile = (name: string): Promise<Uint8Array<ArrayBuffer> | undefined> =>
  readFile(packageFile(`dist/inspector/${name}`)).catch(() => undefined)
