import { setTimeout } from 'node:timers/promises'
import { isRunning } from '../../node/store/process-identity.ts'
import { AdvisedError } from '../../text/advised-error.ts'
import { errorCode } from '../../text/error.ts'
import { command } from '../command.ts'
import { type Detached, findDetached, forgetDetached } from '../detached.ts'

/** In milliseconds. A sandbox ends within half a second; after this time it is killed. */
const PATIENCE_MS = 5000
const PAUSE_MS = 20

export const stop = command({
  takes: { '--json': 'print the result as JSON' },
  examples: ['start --detach', 'stop'],
  async run({ json }, io) {
    const running = findDetached(io.cwd)
    if (!running)
      throw new AdvisedError(
        'No background sandbox runs in this folder',
        'Change to the folder where start --detach was called',
      )
    const forced = await end(running)
    forgetDetached(io.cwd)
    const { pid, baseUrl } = running
    if (json) return io.out(`${JSON.stringify({ stopped: true, pid, baseUrl, forced })}\n`)
    io.out(`Stopped the sandbox on ${baseUrl} (process ${pid})${forced ? ', by force' : ''}.\n`)
  },
})

/** Returns true if the process had to be killed. */
async function end(running: Detached): Promise<boolean> {
  try {
    process.kill(running.pid, 'SIGTERM')
    for (let waited = 0; waited < PATIENCE_MS; waited += PAUSE_MS) {
      if (!isRunning(running)) return false
      await setTimeout(PAUSE_MS)
    }
    process.kill(running.pid, 'SIGKILL')
    return true
  } catch (error) {
    // It ended just before the signal.
    if (errorCode(error) === 'ESRCH') return false
    if (errorCode(error) !== 'EPERM') throw error
    throw new AdvisedError(
      `There is no permission to end the sandbox on ${running.baseUrl} (process ${running.pid})`,
      'Call stop as the user who started it',
    )
  }
}
