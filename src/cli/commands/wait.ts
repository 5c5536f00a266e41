import { setTimeout } from 'node:timers/promises'
import type { Command } from 'commander'
import type { ControlResponse } from '../../client/call.ts'
import type { ControlClient } from '../../client/control.ts'
import { Unreachable } from '../../client/control-error.ts'
import { at } from '../../config/usage-error.ts'
import { formatDuration, parseDuration } from '../../time/duration.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { remote } from '../remote.ts'

const PAUSE_MS = 50

export function register(command: Command, io: Io): void {
  command.option('--for <duration>', 'the longest time to wait, in real time', '30s')
  remote<{ readonly for: string }>(command, io, async (client, flags) => {
    const answer = await untilReady(
      client,
      at('--for', () => parseDuration(flags.for)),
    )
    return { answer, people: `A sandbox is ready on ${client.origin}.\n` }
  })
  addExamples(command, 'wait', 'wait --url http://localhost:4010 --for 1m')
}

async function untilReady(client: ControlClient, most: number): Promise<Pick<ControlResponse, 'text'>> {
  const over = new AbortController()
  const timeUp = setTimeout(most, undefined, { signal: over.signal }).catch(() => undefined)
  const deadline = performance.now() + most
  let problem = 'it has not answered yet'
  try {
    for (;;) {
      // A client remembers that no sandbox answered, so each attempt has its own.
      const asked = client.in(client.namespace).call('GET', '/health').catch(unlessReachable)
      const answer = await Promise.race([asked, timeUp])
      if (answer && !(answer instanceof Unreachable)) return answer
      if (answer) problem = answer.message
      if (performance.now() >= deadline)
        throw new Unreachable(`No sandbox was ready within ${formatDuration(most)}: ${problem}`)
      await setTimeout(Math.min(PAUSE_MS, Math.max(0, deadline - performance.now())))
    }
  } finally {
    over.abort()
  }
}

function unlessReachable(error: unknown): Unreachable {
  if (error instanceof Unreachable) return error
  throw error
}
