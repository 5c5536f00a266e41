import { once } from 'node:events'
import fs from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip, constants as zlib } from 'node:zlib'
import { RecordingReader } from '../../past/parse-recording.ts'
import { type Recording, RecordingError } from '../../past/recording.ts'
import { AdvisedError } from '../../text/advised-error.ts'
import { errorMessage, fileReason, isMissing } from '../../text/error.ts'
import { inMiB } from '../../text/in-thousands.ts'
import { isUtf16 } from './not-text.ts'
import { GZIP } from './recording-file.ts'

/** The largest recording that is read, decompressed, in bytes. */
const LONGEST_READ = 256 * 1024 * 1024

/** Reads a recording; rejects with a RecordingError that names the file. */
export async function readRecordingFile(file: string): Promise<Recording> {
  const reader = new RecordingReader()
  try {
    const { size } = fs.statSync(file)
    if (size > LONGEST_READ)
      throw new RecordingError(`It has ${inMiB(size)}`, `at most ${inMiB(LONGEST_READ)} are read`)
    for await (const line of linesIn(unpacked(file))) reader.read(line)
    const { checkStart } = await import('../../past/check-start.ts')
    checkStart(reader.recording.head)
    return reader.recording
  } catch (error) {
    if (isMissing(error)) {
      const advice =
        'Check its path, or make a recording with petstore-sandbox exec --record <file> -- <command>'
      throw new RecordingError(`${file} does not exist`, advice)
    }
    // No path is longer; it may be the text of a recording.
    if (!(error instanceof AdvisedError))
      throw new RecordingError(`${file.slice(0, 4096)} cannot be replayed: ${fileReason(error)}`)
    throw new RecordingError(`${file} cannot be replayed. ${error.problem}`, error.fix)
  }
}

async function* linesIn(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let begun = ''
  for await (const text of texts) {
    const lines = text.split('\n')
    const last = lines.pop() ?? ''
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
  if (isUtf16(start)) {
    source.destroy()
    throw new RecordingError('It is UTF-16 text', 'save it as UTF-8')
  }
  source.unshift(start)
  // A truncated file is read up to its last complete line.
  const unzip = start.subarray(0, 2).equals(GZIP) && createGunzip({ finishFlush: zlib.Z_SYNC_FLUSH })
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
    if (!unzip || error instanceof RecordingError) throw error
    throw new RecordingError(`Its gzip data is damaged (${errorMessage(error)}); get the file again`)
  }
  yield decoder.decode()
}
