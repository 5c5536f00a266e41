import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Copies the project as it is after `git clone` and `npm ci`, without build results: for tests that write to it. */
export function cloneProject(folder: string): string {
  mkdirSync(folder)
  for (const name of readdirSync(ROOT))
    if (!/^(node_modules|dist.*|coverage|test|\.git|\.petstore-sandbox)$/.test(name))
      cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction')
  return folder
}
