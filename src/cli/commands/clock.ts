import type { Command } from 'commander'
import type { ControlResponse } from '../../client/call.ts'
import { at } from '../../config/usage-error.ts'
import type { ClockTurn, ClockView } from '../../contract/generated/control.types.d.ts'
import { formatDuration, parseDuration } from '../../time/duration.ts'
import { iso, parseInstant, SECOND } from '../../time/instant.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { type RemoteOutput, remote } from '../remote.ts'

export function register(command: Command, io: Io): void {
  const part = (name: string, summary: string, isDefault = false) =>
    command.command(name, { isDefault }).description(summary)
  const turning = (name: string, summary: string, body: (argument: string) => ClockTurn) =>
    remote(part(name, summary), io, async (client, _, argument = '') =>
      outputOf(await client.call('POST', '/clock', { body: body(argument) })),
    )
  remote(
    part('show', 'show the time of the namespace (the default)', true),
    io,
    async (client) => outputOf(await client.call('GET', '/clock')),
    { reads: true, views: true },
  )
  turning('advance <duration>', 'advance the clock, by 500ms 61s 5m 2h 1d or PT61S', (duration) => {
    at('clock advance', () => parseDuration(duration))
    return { advance: duration }
  })
  turning('set <instant>', 'set the clock to an instant such as 2030-12-05T00:00:00Z', (instant) => ({
    set: iso(at('clock set', () => parseInstant(instant))),
  }))
  turning('freeze', 'stop the clock', () => ({ frozen: true }))
  turning('resume', 'let the clock run', () => ({ frozen: false }))
  remote(part('reset', 'return to real time'), io, async (client) =>
    outputOf(await client.call('DELETE', '/clock')),
  )
  addExamples(command, 'clock', 'clock advance 61s', 'clock set 2030-12-05T00:00:00Z', 'clock freeze')
}

function outputOf(answer: ControlResponse<ClockView>): RemoteOutput {
  const { now, frozen } = answer.value
  return {
    answer,
    people: `${now}, ${frozen ? 'frozen' : 'running'}, ${beside(Date.parse(now) - Date.now())}\n`,
  }
}

/** The difference between virtual and real time, in words. */
function beside(ahead: number): string {
  if (Math.abs(ahead) < SECOND) return 'real time'
  return `${formatDuration(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} real time`
}
