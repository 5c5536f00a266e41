import fs from 'node:fs'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'
import { constants, createGzip, gunzipSync } from 'node:zlib'
import { parseRecording, type Recording, RecordingError } from './recording.ts'

/** A recording ends here, in bytes before it is compressed. */
export const LONGEST_RECORDING = 64 * 1024 * 1024

/** What a recording may unpack to, in bytes. */
const LONGEST_READ = 256 * 1024 * 1024

/** A file that gets the lines of a recording. */
export interface RecordingFile {
  readonly write: (line: string) => void
  /** Resolves when everything is written. */
  readonly close: () => Promise<void>
}

/** `fail`: told once, where nothing more can be written. Throws Node's error where it cannot be opened. */
export function createRecordingFile(file: string, fail: (reason: string) => void): RecordingFile {
  fs.mkdirSync(dirname(file), { recursive: true })
  const output = fs.createWriteStream(file, { fd: fs.openSync(file, 'w') })
  const isCompressed = file.endsWith('.gz')
  const input = isCompressed ? createGzip({ flush: constants.Z_SYNC_FLUSH }) : output
  if (input !== output) input.pipe(output)
  let hasFailed = false
  output.on('error', (error) => {
    if (!hasFailed) fail(error.message)
    hasFailed = true
  })
  let pending: string[] = []
  let isScheduled = false
  const flush = () => {
    isScheduled = false
    if (!hasFailed && pending.length > 0) input.write(pending.join(''))
    pending = []
  }
  return {
    write(line) {
      pending.push(line)
      if (isScheduled) return
      isScheduled = true
      setImmediate(flush)
    },
    async close() {
      flush()
      input.end()
      if (!hasFailed) await finished(output).catch(() => {})
    },
  }
}

/** Reads a recording; throws a RecordingError that names the file. */
export function readRecordingFile(file: string): Recording {
  try {
    return parseRecording(unpacked(fs.readFileSync(file)))
  } catch (error) {
    throw new RecordingError(`${file} cannot be replayed. ${(error as Error).message}`)
  }
}

const GZIP = Buffer.from([0x1f, 0x8b])

function unpacked(bytes: Buffer): string {
  if (!bytes.subarray(0, 2).equals(GZIP)) return bytes.toString()
  try {
    // One that was cut off is read as far as it goes.
    const limits = { maxOutputLength: LONGEST_READ, finishFlush: constants.Z_SYNC_FLUSH }
    return gunzipSync(bytes, limits).toString()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error
    throw new RecordingError(
      `It unpacks to more than ${LONGEST_READ / 1024 / 1024} MiB, the most that is read`,
    )
  }
}
