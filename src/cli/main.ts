import { coloursFor } from '../views/paint.ts'
import type { Io } from './io.ts'
import { run } from './run.ts'

/** The program: sets the exit code of the process. `argv` as process.argv has it. */
export async function main(argv: string[]): Promise<void> {
  // Whoever reads our output may have seen enough, as `head` has.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
    throw error
  })
  process.on('uncaughtException', (error) => {
    process.stderr.write(`petstore-sandbox failed: ${error.message}\n`)
    process.exit(1)
  })
  process.exitCode = await run(argv.slice(2), ioOfProcess())
}

const ioOfProcess = (): Io => ({
  env: process.env,
  cwd: process.cwd(),
  out: (text) => void process.stdout.write(text),
  talk: (text) => void process.stderr.write(text),
  paint: coloursFor('stdout'),
  talkPaint: coloursFor('stderr'),
  talksToTerminal: process.stderr.isTTY === true,
})
