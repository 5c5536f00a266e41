import fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { SEQ_MAX } from './data-file.ts'
import { blocksOf } from './read-blocks.ts'

/** One file of the change log. It begins after the change with the number `base`, which is in its name. */
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

/** Renames the files of the log, so that no start reads them. Returns the new names. */
export function setAside(generations: readonly Generation[]): string[] {
  return generations.map(({ path }) => {
    let aside = `${path}.bak`
    for (let copy = 2; fs.existsSync(aside); copy++) aside = `${path}.${copy}.bak`
    fs.renameSync(path, aside)
    return aside
  })
}

/** True if the first line of a file of the log says that nothing before it counts. */
export function isFresh({ path }: Generation): boolean {
  const [first = '', ...rest] = headOf(path, 128).split('\n')
  if (rest.length === 0) return false
  return (
    /^\{"seq":\d+,"op":"fresh"\}$/.test(first) ||
    (first.startsWith('{"op":"log",') && first.includes('"fresh":true'))
  )
}

/** True if a file of the log holds a complete change, not only a header. */
export async function holdsChange({ path }: Generation): Promise<boolean> {
  for await (const block of blocksOf(path)) {
    const lines = block.toString('latin1').split('\n').slice(0, -1)
    if (lines.some((line) => !NO_CHANGE.test(line))) return true
  }
  return false
}

const NO_CHANGE = /^(?:\{"op":"log",|\{"seq":\d+,"op":"fresh")/

/**
 * True if a file seems to be a data file of the sandbox, possibly a damaged one. False for files of other programs and
 * for an empty file, which may belong to any program.
 */
export function looksOurs(file: string): boolean {
  const head = headOf(file, 64 * 1024)
  return head === '' || (/"version"\s*:\s*1\b/.test(head) && /"namespaces"\s*:/.test(head))
}

function headOf(path: string, length: number): string {
  const start = Buffer.alloc(length)
  const handle = fs.openSync(path, 'r')
  try {
    return start.toString('latin1', 0, fs.readSync(handle, start))
  } finally {
    fs.closeSync(handle)
  }
}

/** The highest sequence number in a file, even if the file is damaged; 0 if there is none. */
export async function highestSeqIn(path: string): Promise<number> {
  let highest = 0
  for await (const block of blocksOf(path)) {
    // Within a string the quotes would be escaped.
    for (const [, seq] of block.toString('latin1').matchAll(/"seq"\s*:\s*(\d+)/g)) {
      if (Number(seq) <= SEQ_MAX) highest = Math.max(highest, Number(seq))
    }
  }
  return highest
}
