import { once } from 'node:events'
import fs from 'node:fs'
import { dirname } from 'node:path'
import { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGzip, constants as zlib } from 'node:zlib'
import type { Lines } from '../../past/record.ts'
import { type RecordedLine, RecordingError } from '../../past/recording.ts'
import { fileReason, unwritableReason } from '../../text/error.ts'
import { inMiB } from '../../text/in-thousands.ts'
import { DataFileInUseError } from '../store/data-file-error.ts'
import { type Lock, lock } from '../store/lock.ts'
import { setTimeout } from '../timers.ts'
import { turn } from '../turns.ts'
import { makeFolder } from './make-folder.ts'
import { openRecording } from './recording-file.ts'

/** At this number of characters a recording continues from a checkpoint. At least half of them are kept. */
const LONGEST_RECORDING = 64 * 1024 * 1024

/** Lines are collected this long and written together, in milliseconds: a write costs about as much as ten lines. */
const BATCH_MS = 20

/** A batch of this size is written before its time. */
const BATCH_BYTES = 64 * 1024

/** About how many bytes may wait for a slow disk. */
const MAX_UNWRITTEN = 16 * 1024 * 1024

const TOO_SLOW = `the disk is too slow: ${inMiB(MAX_UNWRITTEN)} wait to be written`

/**
 * Writes a recording. From a checkpoint on, the second half of it is also written to a second file, which replaces the
 * first one when that becomes too long. At least half of the allowed length exists at every instant. `fail` and `warn`:
 * called once if it ends early. `longest`: in characters, without the first line.
 */
export function recordingWriter(
  file: string,
  fail: () => void,
  warn: (warning: string) => void,
  longest: number = LONGEST_RECORDING,
): Lines {
  const besides = file.replace(/(\.jsonl(?:\.gz)?)$/, '.next$1')
  let current: Segment | undefined
  let next: Segment | undefined
  let replaced: Promise<void> | undefined
  let hasEnded = false
  let held: Lock | undefined
  return {
    get wantsCheckpoint() {
      return (current?.length ?? 0) >= longest / 2 && !hasEnded && !next && !replaced
    },
    get isOverdue() {
      return (current?.length ?? 0) > 2 * longest
    },
    begin,
    /** If the second file cannot be begun, the recording ends. */
    continueFrom(head) {
      begin(head).catch((error: unknown) => end(fileReason(error)))
    },
    write,
    close,
  }

  async function begin(head: AsyncIterable<string>): Promise<void> {
    const failed = (error: Error) => end(`it cannot be written: ${fileReason(error)}`)
    if (current) next = new Segment(besides, head, failed)
    else current = first(head, failed)
    await (next ?? current).begun
  }

  function first(head: AsyncIterable<string>, failed: (error: Error) => void): Segment {
    try {
      makeFolder(dirname(file))
      held = lock(file, 'or record in another file')
      return new Segment(file, head, failed)
    } catch (error) {
      held?.release()
      if (error instanceof RecordingError || error instanceof DataFileInUseError) throw error
      const problem = `${file} cannot be written: ${unwritableReason(error)}`
      throw new RecordingError(problem, 'record in another file')
    }
  }

  function write(line: RecordedLine): void {
    if (hasEnded) return
    const text = `${JSON.stringify(line)}\n`
    current?.write(text)
    next?.write(text)
    const isLong = (current?.length ?? 0) >= longest
    const isEnough = (next?.length ?? 0) >= longest / 2
    if (isLong && isEnough && next?.hasBegun) replaced = replace(next)
  }

  async function close(): Promise<void> {
    const isComplete = current && !hasEnded
    hasEnded = true
    await replaced
    await current?.close()
    await next?.close()
    if (next) await fs.promises.rm(besides, { force: true })
    held?.release()
    const lost = `The recording ${file} is lost: it was removed while it was written. Record in a folder that nothing cleans.`
    if (isComplete && !fs.existsSync(file)) warn(lost)
  }

  async function replace(by: Segment): Promise<void> {
    const before = current
    current = by
    next = undefined
    await before?.close()
    await fs.promises.rename(besides, file).catch((error: unknown) => end(fileReason(error)))
    replaced = undefined
  }

  function end(reason: string): void {
    if (hasEnded) return
    hasEnded = true
    fail()
    warn(`The recording ${file} ends here: ${reason}.`)
  }
}

/** Compresses all that waits together: gzip takes one chunk in a turn of the event loop, which can bring many. */
function compressed(output: Writable): Writable {
  const gzip = createGzip({ flush: zlib.Z_SYNC_FLUSH })
  gzip.pipe(output)
  return new Writable({
    writev: (chunks, done) => gzip.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done),
    final: (done) => gzip.end(done),
  })
}

/** A file of a recording: the first line, then the others. */
class Segment {
  /** Characters of all lines but the first. */
  length = 0
  /** Resolves when the first line is written. */
  readonly begun: Promise<void>
  hasBegun = false
  readonly #input: Writable
  readonly #output: Writable
  /** Lines in UTF-8. As strings, the garbage collector would have to move them until they are written. */
  #batch = Buffer.allocUnsafe(BATCH_BYTES)
  #used = 0
  #timer: NodeJS.Timeout | undefined
  /** Chunks that wait until the first line is written. */
  readonly #waiting: (Buffer | string)[] = []
  readonly #failed = new AbortController()
  readonly #fail: (error: Error) => void
  /** An upper bound of the bytes that wait for the disk. */
  #unwritten = 0

  constructor(file: string, head: AsyncIterable<string>, fail: (error: Error) => void) {
    this.#output = fs.createWriteStream(file, { fd: openRecording(file) })
    this.#input = file.endsWith('.gz') ? compressed(this.#output) : this.#output
    this.#fail = fail
    this.#output.on('error', (error) => this.#giveUp(error))
    this.begun = this.#begin(head)
  }

  /** Writes the parts of the first line one by one, so that other work is not delayed. */
  async #begin(head: AsyncIterable<string>): Promise<void> {
    const { signal } = this.#failed
    let length = 0
    for await (const part of head) {
      if (!signal.aborted && !this.#input.write(part))
        await once(this.#input, 'drain', { signal }).catch(() => {})
      length += part.length
      if (length >= BATCH_BYTES) {
        length = 0
        await turn()
      }
      if (signal.aborted) return
    }
    this.hasBegun = true
    for (const chunk of this.#waiting.splice(0)) this.#send(chunk)
  }

  write(line: string): void {
    this.length += line.length
    const mostBytes = 3 * line.length
    if (mostBytes > BATCH_BYTES - this.#used) this.#flush()
    if (mostBytes > BATCH_BYTES) this.#send(line)
    else this.#used += this.#batch.write(line, this.#used)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#flush()
    }, BATCH_MS).unref()
  }

  async close(): Promise<void> {
    await this.begun.catch(() => {})
    this.#flush()
    this.#input.end()
    if (!this.#failed.signal.aborted) await finished(this.#output).catch(() => {})
  }

  /** Ends the recording after an error. Lines that wait are dropped. */
  #giveUp(error: Error): void {
    this.#failed.abort()
    this.#waiting.length = 0
    this.#output.destroy()
    this.#fail(error)
  }

  #flush(): void {
    if (this.#used === 0) return
    this.#send(this.#batch.subarray(0, this.#used))
    this.#batch = Buffer.allocUnsafe(BATCH_BYTES)
    this.#used = 0
  }

  #send(chunk: Buffer | string): void {
    if (this.#failed.signal.aborted) return
    if (!this.hasBegun) this.#waiting.push(chunk)
    else this.#input.write(chunk)
    this.#unwritten += Buffer.byteLength(chunk)
    if (this.#unwritten < MAX_UNWRITTEN) return
    // Counted from time to time only: asking the streams for each line would cost more than the line.
    const waiting = this.#waiting.reduce((sum, { length }) => sum + length, 0)
    this.#unwritten = waiting + this.#input.writableLength + this.#output.writableLength
    if (this.#unwritten >= MAX_UNWRITTEN) this.#giveUp(new Error(TOO_SLOW))
  }
}
