import fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { blocksOf } from './blocks.ts'

/** One file of the change log. It begins after the change with the number `base`, which its name tells. */
export interface Generation {
  readonly path: string
  readonly base: number
}

export const generationPath = (file: string, base: number): string => `${file}.${base}.log`

/** The files of the change log, oldest first. */
export function generationsOf(file: string): Generation[] {
  const prefix = `${basename(file)}.`
  return fs
    .readdirSync(dirname(file), { encoding: 'utf8' })
    .flatMap((name) => {
      const base = name.startsWith(prefix) ? /^(\d+)\.log$/.exec(name.slice(prefix.length))?.[1] : undefined
      return base === undefined ? [] : [{ path: join(dirname(file), name), base: Number(base) }]
    })
    .sort((a, b) => a.base - b.base)
}

/** True where a file of the log owes nothing to what was there before: its first line says so. */
export function isFresh({ path }: Generation): boolean {
  const start = Buffer.alloc(64)
  const handle = fs.openSync(path, 'r')
  try {
    fs.readSync(handle, start)
  } finally {
    fs.closeSync(handle)
  }
  return /^\{"seq":\d+,"op":"fresh"\}\n/.test(start.toString('latin1'))
}

/** The highest number of a change that a file names, whether or not it is readable; 0 where there is none. */
export async function highestSeqIn(path: string): Promise<number> {
  let highest = 0
  for await (const block of blocksOf(path)) {
    // Within a string the quotes would be escaped.
    for (const [, seq] of block.toString('latin1').matchAll(/"seq"\s*:\s*(\d+)/g)) {
      highest = Math.max(highest, Number(seq))
    }
  }
  return highest
}
