import type { Command } from 'commander'
import type { HoldView } from '../../contract/generated/control.types.d.ts'
import { textTable } from '../../views/text-table.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { remote } from '../remote.ts'

export function register(command: Command, io: Io): void {
  remote(
    command
      .command('list', { isDefault: true })
      .description('list the requests that are being held (the default)'),
    io,
    async (client) => {
      const answer = await client.call('GET', '/holds')
      const holds = answer.value
      const none = `No request is held in namespace ${client.namespace}.\n`
      return { answer, people: holds.length > 0 ? table(holds, io) : none }
    },
    { reads: true },
  )
  remote(
    command.command('release').description('release a held request').argument('<id>'),
    io,
    async (client, _, id = '') => ({
      answer: await client.call('POST', '/holds/{id}/release', { params: { path: { id } } }),
      people: `Released ${id}.\n`,
    }),
  )
  addExamples(
    command,
    'faults add --operation listPets --hold-until-released',
    'holds',
    'holds release hold_1',
  )
}

function table(holds: readonly HoldView[], { paint, columns }: Io): string {
  const rows = holds.map(({ id, request, operationId, rule, when, until, since, timeout }) => [
    id,
    request,
    operationId ?? '-',
    rule,
    when,
    until === 'released' ? until : JSON.stringify(until),
    since,
    timeout,
  ])
  const headings = ['ID', 'REQUEST', 'OPERATION', 'RULE', 'WHEN', '~UNTIL', 'SINCE', 'TIMEOUT']
  return textTable(headings, rows, paint.strong, columns)
}
