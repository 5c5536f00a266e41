import fs from 'node:fs'
import type { Low } from 'lowdb'
import type { StoredNamespace } from '../domain/stored.ts'
import { isMissing } from './data-file-error.ts'
import { type Generation, generationsOf, highestSeqIn, isFresh } from './generations.ts'
import type { ParseJson } from './parse.ts'
import { readLog } from './read-log.ts'
import { Replay } from './replay.ts'
import type { DataFile } from './text.ts'

/** What a start goes on from. */
export interface Recovered {
  readonly found: ReadonlyMap<string, StoredNamespace>
  /** The number of the last change. */
  readonly seq: number
  /** Files of the log that nobody needs once the data file is written anew. */
  readonly logs: readonly string[]
}

/**
 * Reads the data file and every change in the log that is newer. Nothing on disk is changed before all of it
 * was understood. Rejects with a DataFileError.
 */
export async function recover(
  file: string,
  low: Low<DataFile>,
  parse: ParseJson,
  warn: (message: string) => void,
): Promise<Recovered> {
  const generations = generationsOf(file)
  const fresh = await freshStartOf(file, generations)
  if (!fresh) await low.read()
  const base = fresh?.base ?? low.data.seq
  const first = Math.max(
    0,
    generations.findLastIndex((generation) => generation.base <= base),
  )
  const replay = new Replay(low.data)
  const cuts: { path: string; size: number; whole: number }[] = []
  for (const [index, { path, base: begin }] of generations.slice(first).entries()) {
    replay.begin(index === 0 ? Math.min(begin, base) : replay.seq)
    const newest = first + index === generations.length - 1
    cuts.push({ path, ...(await readLog(path, newest, parse, replay)) })
  }
  for (const { path } of generations.slice(0, first)) fs.rmSync(path)
  for (const cut of cuts) tidy(cut, warn)
  const logs = cuts.flatMap(({ path, whole }) => (whole > 0 ? [path] : []))
  return { found: replay.found(), seq: Math.max(replay.seq, low.data.seq), logs }
}

/** Reads nothing: whatever is there stays until the first change is safe, and is then replaced. */
export async function startFresh(file: string): Promise<Recovered> {
  const generations = generationsOf(file)
  let seq = await seqIn(file)
  for (const { path, base } of generations) seq = Math.max(seq, base, await seqIn(path))
  return { found: new Map(), seq, logs: generations.map(({ path }) => path) }
}

/** The log that a fresh start began, while the data file is still the old one. */
async function freshStartOf(
  file: string,
  generations: readonly Generation[],
): Promise<Generation | undefined> {
  const fresh = generations.findLast(isFresh)
  return fresh && (await seqIn(file)) <= fresh.base ? fresh : undefined
}

async function seqIn(path: string): Promise<number> {
  try {
    return await highestSeqIn(path)
  } catch (error) {
    if (isMissing(error)) return 0
    throw error
  }
}

/** Cuts off what a crash left behind the last whole line. */
function tidy(
  { path, size, whole }: { path: string; size: number; whole: number },
  warn: (message: string) => void,
): void {
  if (size > whole) {
    warn(
      `${path}: the last line was cut off, as a crash leaves it. It was dropped; it had never been confirmed.`,
    )
  }
  if (whole === 0) fs.rmSync(path)
  else if (size > whole) fs.truncateSync(path, whole)
}
