import { at } from '../../config/usage-error.ts'
import type { ClockTurn, ClockView } from '../../contract/generated/control.types.d.ts'
import { formatDuration, parseDuration } from '../../time/duration.ts'
import { iso, parseInstant, SECOND } from '../../time/instant.ts'
import { group } from '../command.ts'
import { remote } from '../remote.ts'

const turn = (summary: string, body: ClockTurn) =>
  remote({ summary, call: (client) => client.call('POST', '/clock', { body }), shown: clockText })

export const clock = group(
  {
    show: remote({
      summary: 'show the time of the namespace (the default)',
      reads: true,
      views: true,
      call: (client) => client.call('GET', '/clock'),
      shown: clockText,
    }),
    advance: remote({
      summary: 'advance the clock',
      takes: { '<duration>': 'such as 500ms, 61s, 5m, 2h, 1d or PT61S' },
      call(client, { duration }) {
        at('clock advance', () => parseDuration(duration))
        return client.call('POST', '/clock', { body: { advance: duration } })
      },
      shown: clockText,
    }),
    set: remote({
      summary: 'set the clock to an instant',
      takes: { '<instant>': 'such as 2030-12-05T00:00:00Z' },
      call(client, { instant }) {
        const set = iso(at('clock set', () => parseInstant(instant)))
        return client.call('POST', '/clock', { body: { set } })
      },
      shown: clockText,
    }),
    freeze: turn('stop the clock', { frozen: true }),
    resume: turn('let the clock run', { frozen: false }),
    reset: remote({
      summary: 'return to real time',
      call: (client) => client.call('DELETE', '/clock'),
      shown: clockText,
    }),
  },
  ['clock', 'clock advance 61s', 'clock set 2030-12-05T00:00:00Z', 'clock freeze'],
)

function clockText({ now, frozen }: ClockView): string {
  // Rounded, because the answer is a little older than the time of this process.
  const ahead = Math.round((Date.parse(now) - Date.now()) / SECOND) * SECOND
  const by = formatDuration(Math.abs(ahead))
  const beside = ahead === 0 ? 'real time' : `${by} ${ahead > 0 ? 'ahead of' : 'behind'} real time`
  return `${now}, ${frozen ? 'frozen' : 'running'}, ${beside}\n`
}
