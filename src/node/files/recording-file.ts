import fs from 'node:fs'
import { gunzipSync, constants as zlib } from 'node:zlib'
import { RECORDING_START } from '../../past/parse-recording.ts'
import { RecordingError } from '../../past/recording.ts'

/** The first bytes of a gzip file (RFC 1952, section 2.3.1). */
export const GZIP = Buffer.from([0x1f, 0x8b])

/** The number of bytes of a file that are read to recognise a recording. Deflate expands it at most 1,032 times. */
const LONGEST_START = 1024

/**
 * Opens a file for a recording, which only its owner may read. Throws a RecordingError if the path has other content,
 * which is left unchanged, or is a link.
 */
export function openRecording(file: string): number {
  const fd = openIfRecording(file, fs.constants.O_CREAT)
  fs.ftruncateSync(fd)
  fs.fchmodSync(fd, 0o600)
  return fd
}

/** Whether two paths lead to one existing file. */
export function isSameFile(path: string, other: string): boolean {
  const [one, two] = [path, other].map((each) => fs.statSync(each, { throwIfNoEntry: false }))
  return one !== undefined && one.ino === two?.ino && one.dev === two.dev
}

/** Deletes a recording. Other files are left unchanged. */
export function deleteRecording(file: string): void {
  try {
    fs.closeSync(openIfRecording(file, 0))
    fs.rmSync(file)
  } catch {
    // The file is missing, or not a recording.
  }
}

/** Opens a file that is empty or contains a recording. `flags`: in addition to reading and writing. */
function openIfRecording(file: string, flags: number): number {
  const refuse = (what: string) =>
    new RecordingError(`${file} is ${what} and stays as it is; record in a new file`)
  // Follows no link and does not wait for a pipe. Windows has neither flag.
  const { O_RDWR, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants
  if (fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) throw refuse('a link')
  const fd = fs.openSync(file, O_RDWR | O_NOFOLLOW | O_NONBLOCK | flags, 0o600)
  try {
    const stat = fs.fstatSync(fd)
    if (!stat.isFile()) throw refuse('not a regular file')
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
    return RECORDING_START.test(text.toString())
  } catch {
    return false
  }
}
