import fs from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { temporaryFolder } from '../../support/folder.ts'

/** A copy of the folder as a kill at this moment would leave it, without a lock. */
export function asAfterCrash(folder: string): string {
  const copy = temporaryFolder()
  try {
    fs.cpSync(folder, copy, { recursive: true, preserveTimestamps: true })
  } catch (error) {
    // The store has removed a file of the log meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return asAfterCrash(folder)
  }
  for (const name of fs.readdirSync(copy)) if (name.endsWith('.lock')) fs.rmSync(join(copy, name))
  return copy
}

/** The files below a folder with their content, for a comparison. */
export const contentOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    fs
      .readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(folder.length + 1), fs.readFileSync(path, 'latin1')]),
  )

export const logsIn = (folder: string): string[] =>
  fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .sort((a, b) => Number(/\d+/.exec(a)) - Number(/\d+/.exec(b)))

/** A log of these lines with new checksums. */
export function withChecksums(header: string, lines: readonly string[]): string {
  let mark = JSON.parse(header).after as number
  const sealed = lines.map((line) => {
    const body = line.replace(/(,"crc":\d+)?\}$/, '')
    mark = crc32(body, mark)
    return `${body},"crc":${mark}}\n`
  })
  return `${header}\n${sealed.join('')}`
}
