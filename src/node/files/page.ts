import { readFile } from 'node:fs/promises'
import { packageFile } from './package.ts'

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
