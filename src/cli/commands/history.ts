import type { Command } from 'commander'
import { textTable } from '../../views/text-table.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { remote } from '../remote.ts'

export function register(command: Command, io: Io): void {
  command.option('--branches', 'also what rewinds undid, with the name of its branch')
  remote<{ readonly branches?: true }>(
    command,
    io,
    async (client, { branches }) => {
      const answer = await client.call('GET', '/history', {
        params: { query: branches ? { branch: '*' } : {} },
      })
      const rows = answer.value.map(({ id, at, what, branch }) => [
        id,
        at,
        branch === undefined ? what : `${what} (${branch})`,
      ])
      const people =
        rows.length > 0
          ? textTable(['ID', 'AT', '~WHAT'], rows, io.paint.strong, io.columns)
          : `No requests or control calls to rewind to in namespace ${client.namespace}.\n`
      return { answer, people }
    },
    { reads: true },
  )
  addExamples(command, 'history', 'history --namespace worker-1 --json', 'history --branches')
}
