import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Makes a copy of the project, as a clone is after `npm ci` but for what is built: for what writes beside its sources. */
export function cloneProject(folder: string): string {
  mkdirSync(folder)
  for (const name of readdirSync(ROOT))
    if (!/^(node_modules|dist.*|coverage|test|\.git|\.petstore-sandbox)$/.test(name))
      cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction')
  return folder
}
