import { fstatSync } from 'node:fs'
import { UsageError } from '../config/usage-error.ts'
import { coloursFor } from '../node/paint.ts'
import { errorCode } from '../text/error.ts'
import { printableLines } from '../text/printable.ts'
import { DAY } from '../time/instant.ts'
import type { Io } from './command.ts'
import { run } from './run.ts'

/** Runs the program and sets the exit code of the process. `argv`: that of process. */
export async function main(argv: string[]): Promise<void> {
  process.stdout.on('error', ignoreGoneReader)
  // Messages that cannot be written, such as to a full disk, change no result.
  process.stderr.on('error', () => {})
  process.on('uncaughtException', (error) => {
    process.stderr.write(`petstore-sandbox failed: ${printableLines(error.message)}\n`)
    process.exit(1)
  })
  // A pending fetch does not always keep the process running. It would end with 0 before its command has.
  const running = setInterval(() => {}, DAY)
  process.exitCode = await run(argv.slice(2), ioOfProcess())
  clearInterval(running)
}

/** A reader such as `head` may close the output early. The command continues, with the same exit code. */
function ignoreGoneReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error
}

function workingFolder(): string {
  try {
    return process.cwd()
  } catch (error) {
    throw new UsageError(
      `The current folder cannot be used (${errorCode(error)})`,
      'change to a folder that exists',
    )
  }
}

const ioOfProcess = (): Io => ({
  env: process.env,
  get cwd() {
    return workingFolder()
  },
  // Opened when it is first used: an open stdin would keep the process running.
  get input() {
    return process.stdin
  },
  out: (text) => void process.stdout.write(text),
  talk: (text) => void process.stderr.write(text),
  get writesToFile() {
    return fstatSync(process.stdout.fd).isFile()
  },
  paint: coloursFor('stdout'),
  talkPaint: coloursFor('stderr'),
  // Some terminals report 0 columns.
  columns: process.stdout.columns || undefined,
  talkColumns: process.stderr.columns || undefined,
  talksToTerminal: process.stderr.isTTY === true,
})
