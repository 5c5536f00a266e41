import fs from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Creates a folder and its parents. A folder of the sandbox gets a .gitignore for itself. */
export function makeFolder(folder: string): void {
  if (fs.existsSync(folder)) return
  // One folder at a time: under paths such as /proc, Node's recursive option never returns.
  makeFolder(dirname(folder))
  try {
    fs.mkdirSync(folder)
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!fs.existsSync(folder)) throw error
    return
  }
  if (basename(folder) === '.petstore-sandbox') fs.writeFileSync(join(folder, '.gitignore'), '*\n')
}
