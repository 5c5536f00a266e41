import type { Command } from 'commander'
import { reportText } from '../../views/report-text.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { remote } from '../remote.ts'

export function register(command: Command, io: Io): void {
  remote(
    command,
    io,
    async (client) => {
      const answer = await client.call('GET', '/report')
      return { answer, people: reportText(answer.value, io.paint, io.columns) }
    },
    { reads: true },
  )
  addExamples(command, 'report', "report --namespace '*'", 'report --json')
}
