import fs from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Makes a folder and those above it. A folder of our own keeps itself out of git. */
export function makeFolder(folder: string): void {
  if (fs.existsSync(folder)) return
  // Step by step, because Node's own recursion never ends where nothing can be made, as under /proc.
  makeFolder(dirname(folder))
  try {
    fs.mkdirSync(folder)
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!fs.existsSync(folder)) throw error
    return
  }
  if (basename(folder) === '.petstore-sandbox') fs.writeFileSync(join(folder, '.gitignore'), '*\n')
}
