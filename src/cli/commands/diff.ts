import type { Command } from 'commander'
import type { ControlClient } from '../../client/control.ts'
import type { StateDiff } from '../../contract/generated/control.types.d.ts'
import { textTable } from '../../views/text-table.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { remote } from '../remote.ts'

export function register(command: Command, io: Io): void {
  const states = 'now, start, snapshot:<name> or namespace:<name>'
  command.argument('<a>', `the earlier state: ${states}`).argument('<b>', 'the later state')
  const compare = async (client: ControlClient, _: unknown, a = '', b = '') => {
    const answer = await client.call('GET', '/diff', { params: { query: { a, b } } })
    return { answer, people: inWords(answer.value, io) }
  }
  remote(command, io, compare, { reads: true })
  addExamples(command, 'diff snapshot:before now', 'diff start now --namespace w1')
}

function inWords(differences: StateDiff, { paint }: Io): string {
  const kinds = ['added', 'removed', 'changed'] as const
  const counts = kinds.map((kind) => `${differences[kind].count} ${kind}`).join(', ')
  const rows = kinds.flatMap((kind) =>
    differences[kind].first.map(({ id, name, categoryId, status }) => [
      kind,
      String(id),
      name,
      String(categoryId),
      status ?? '-',
    ]),
  )
  if (rows.length === 0) return 'No pet differs.\n'
  const more = kinds.some((kind) => differences[kind].count > differences[kind].first.length)
  const table = textTable(['WHAT', '>ID', 'NAME', '>CATEGORY', 'STATUS'], rows, paint.strong)
  return `${counts}${more ? '; the first 100 of each' : ''}\n${table}`
}
