import fs from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { temporaryFolder } from '../../support/folder.ts'

/** The folder as a process that is killed now would leave it; whoever opens it finds nobody holding the lock. */
export function asAfterCrash(folder: string): string {
  const copy = temporaryFolder()
  try {
    fs.cpSync(folder, copy, { recursive: true, preserveTimestamps: true })
  } catch (error) {
    // Another thread has removed a file of the log that the data file holds by now.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return asAfterCrash(folder)
  }
  for (const name of fs.readdirSync(copy)) if (name.endsWith('.lock')) fs.rmSync(join(copy, name))
  return copy
}

/** Every file below a folder with its content, for a comparison. */
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

/** The lines of a log behind its header, with checksums that are right again. */
export function withChecksums(header: string, lines: readonly string[]): string {
  let mark = JSON.parse(header).after as number
  const sealed = lines.map((line) => {
    const body = line.replace(/(,"crc":\d+)?\}$/, '')
    mark = crc32(body, mark)
    return `${body},"crc":${mark}}\n`
  })
  return `${header}\n${sealed.join('')}`
}
