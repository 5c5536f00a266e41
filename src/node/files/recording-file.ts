import { once } from 'node:events'
import fs from 'node:fs'
import { dirname } from 'node:path'
import { pipeline, type Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGunzip, createGzip, gunzipSync, constants as zlib } from 'node:zlib'
import type { Lines } from '../../past/internals.ts'
import { inMiB, type RecordedLine, type Recording, RecordingReader } from '../../past/recording.ts'
import { RecordingError } from '../../past/recording-error.ts'
import { AdvisedError } from '../../text/advised-error.ts'
import { errorMessage, isMissing } from '../../text/error.ts'
import { fileReason } from '../../text/file-reason.ts'
import { setTimeout } from '../timers.ts'
import { turn } from '../turns.ts'

/** At this number of characters a recording continues from a checkpoint. At least half of them are kept. */
const LONGEST_RECORDING = 64 * 1024 * 1024

/** Lines are collected this long and written together, in milliseconds: a write costs about as much as ten lines. */
const BATCH_MS = 20

/** A batch of this size is written before its time. */
const BATCH_BYTES = 64 * 1024

/** About how many bytes may wait for a slow disk. */
const MAX_UNWRITTEN = 16 * 1024 * 1024

const TOO_SLOW = `the disk is too slow: ${MAX_UNWRITTEN / 1024 / 1024} MiB wait to be written`

/** The largest recording that is read, decompressed, in bytes. */
const LONGEST_READ = 256 * 1024 * 1024

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
  return {
    get wantsCheckpoint() {
      const isDue = (current?.length ?? 0) >= longest / 2
      return isDue && !hasEnded && !next && !replaced
    },
    get isOverdue() {
      return (current?.length ?? 0) > 2 * longest
    },
    begin,
    /** If the second file cannot be begun, the recording ends. */
    continueFrom(head) {
      begin(head).catch(({ message }: Error) => end(message))
    },
    write,
    close,
  }

  async function begin(head: AsyncIterable<string>): Promise<void> {
    const isFirst = current === undefined
    const segment = new Segment(isFirst ? file : besides, (error) =>
      end(`it cannot be written: ${error.message}`),
    )
    if (isFirst) current = segment
    else next = segment
    await segment.begin(head)
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
    hasEnded = true
    await replaced
    await current?.close()
    if (!next) return
    await next.close()
    await fs.promises.rm(besides, { force: true })
  }

  async function replace(by: Segment): Promise<void> {
    const before = current
    current = by
    next = undefined
    await before?.close()
    await fs.promises.rename(besides, file).catch(({ message }: Error) => end(message))
    replaced = undefined
  }

  function end(reason: string): void {
    if (hasEnded) return
    hasEnded = true
    fail()
    warn(`The recording ${file} ends here: ${reason}.`)
  }
}

/** A file of a recording: the first line, then the others. */
class Segment {
  /** Characters of all lines but the first. */
  length = 0
  hasBegun = false
  #begun: Promise<void> = Promise.resolve()
  readonly #input: Writable
  readonly #output: Writable
  /** Lines in UTF-8. As strings, the garbage collector would have to move them until they are written. */
  #batch = Buffer.allocUnsafe(BATCH_BYTES)
  #used = 0
  #isScheduled = false
  /** Chunks that wait until the first line is written. */
  readonly #waiting: (Buffer | string)[] = []
  readonly #failed = new AbortController()
  readonly #fail: (error: Error) => void
  /** How many bytes may wait for the disk. */
  #unwritten = 0

  constructor(file: string, fail: (error: Error) => void) {
    fs.mkdirSync(dirname(file), { recursive: true })
    this.#output = fs.createWriteStream(file, { fd: openRecording(file) })
    this.#input = file.endsWith('.gz') ? createGzip({ flush: zlib.Z_SYNC_FLUSH }) : this.#output
    if (this.#input !== this.#output) this.#input.pipe(this.#output)
    this.#fail = fail
    this.#output.on('error', (error) => this.#giveUp(error))
  }

  /** Writes the parts of the first line one by one, so that other work is not delayed. */
  begin(head: AsyncIterable<string>): Promise<void> {
    this.#begun = this.#begin(head)
    return this.#begun
  }

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
    if (this.#isScheduled) return
    this.#isScheduled = true
    setTimeout(() => {
      this.#isScheduled = false
      this.#flush()
    }, BATCH_MS).unref()
  }

  async close(): Promise<void> {
    await this.#begun.catch(() => {})
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

/**
 * Opens a file for a recording, which only its owner may read. Throws a RecordingError if the path has other content,
 * which is left unchanged, or is a link.
 */
function openRecording(file: string): number {
  const fd = openOwn(file, fs.constants.O_CREAT)
  fs.ftruncateSync(fd)
  fs.fchmodSync(fd, 0o600)
  return fd
}

/** Deletes a recording. Other files are left unchanged. */
export function deleteRecording(file: string): void {
  try {
    fs.closeSync(openOwn(file, 0))
    fs.rmSync(file)
  } catch {
    // The file is missing, or not a recording.
  }
}

/** Opens a file that is empty or contains a recording. `flags`: in addition to reading and writing. */
function openOwn(file: string, flags: number): number {
  const refuse = (what: string) =>
    new RecordingError(`${file} is ${what} and stays as it is; record in a new file`)
  // Follows no link and does not wait for a pipe. Windows has neither flag.
  const { O_RDWR, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants
  if (fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) throw refuse('a link')
  const fd = fs.openSync(file, O_RDWR | O_NOFOLLOW | O_NONBLOCK | flags, 0o600)
  try {
    const stat = fs.fstatSync(fd)
    if (!stat.isFile()) throw refuse('no regular file')
    if (stat.size > 0 && !isRecording(fd)) throw refuse('not a recording')
    return fd
  } catch (error) {
    fs.closeSync(fd)
    throw error
  }
}

function isRecording(fd: number): boolean {
  const start = Buffer.alloc(LONGEST_START)
  const bytes = start.subarray(0, fs.readSync(fd, start, 0, LONGEST_START, 0))
  try {
    const limits = { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: 2000 * LONGEST_START }
    const text = bytes.subarray(0, 2).equals(GZIP) ? gunzipSync(bytes, limits) : bytes
    return /^\ufeff?\{"recording":\d/.test(text.toString())
  } catch {
    return false
  }
}

/** How much of a file is read to recognise a recording, in bytes. Deflate expands it at most 1,032 times. */
const LONGEST_START = 1024

/** Reads a recording; rejects with a RecordingError that names the file. */
export async function readRecordingFile(file: string): Promise<Recording> {
  const reader = new RecordingReader()
  try {
    const { size } = fs.statSync(file)
    if (size > LONGEST_READ)
      throw new RecordingError(`It has ${inMiB(size)}`, `at most ${inMiB(LONGEST_READ)} are read`)
    for await (const line of linesIn(unpacked(file))) if (!reader.read(line)) break
    const { recording } = reader
    const { checkStart } = await import('../../past/check-start.ts')
    checkStart(recording.head)
    return recording
  } catch (error) {
    if (isMissing(error)) {
      const advice =
        'Check its path, or make a recording with petstore-sandbox exec --record <file> -- <command>'
      throw new RecordingError(`${file} does not exist`, advice)
    }
    if (!(error instanceof AdvisedError))
      throw new RecordingError(`${file} cannot be replayed: ${fileReason(error)}`)
    throw new RecordingError(`${file} cannot be replayed. ${error.problem}`, error.fix)
  }
}

const GZIP = Buffer.from([0x1f, 0x8b])

async function* linesIn(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let begun = ''
  for await (const text of texts) {
    const lines = text.split('\n')
    const last = lines.pop() as string
    for (const line of lines) {
      yield begun + line
      begun = ''
    }
    begun += last
  }
  yield begun
}

/** The text of a file in parts. The decoder removes a byte order mark, which some editors write. */
async function* unpacked(file: string): AsyncGenerator<string> {
  const source = fs.createReadStream(file)
  await once(source, 'readable')
  const start: Buffer = source.read() ?? Buffer.alloc(0)
  source.unshift(start)
  const isPacked = start.subarray(0, 2).equals(GZIP)
  // A truncated file is read up to its last complete line.
  const unzip = isPacked && createGunzip({ finishFlush: zlib.Z_SYNC_FLUSH })
  const decoder = new TextDecoder()
  let length = 0
  try {
    for await (const part of unzip ? pipeline(source, unzip, () => {}) : source) {
      length += part.length
      if (length > LONGEST_READ)
        throw new RecordingError(`It unpacks to more than ${inMiB(LONGEST_READ)}, which is the limit`)
      yield decoder.decode(part, { stream: true })
    }
  } catch (error) {
    if (!isPacked || error instanceof RecordingError) throw error
    throw new RecordingError(`Its gzip data is damaged (${errorMessage(error)}); get the file again`)
  }
  yield decoder.decode()
}
