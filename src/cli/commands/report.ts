import type { Command } from 'commander'
import type { ControlClient } from '../../client/control.ts'
import type { Report } from '../../contract/generated/control.types.d.ts'
import { reportText } from '../../views/report-text.ts'
import { sumReports } from '../../world/traffic/tally.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { remoteToSeveral } from '../remote.ts'

export function register(command: Command, io: Io): void {
  remoteToSeveral(
    command,
    io,
    async (clients) => {
      const { text, report } = await reportOf(clients)
      return { answer: { text }, people: reportText(report, io.paint, io.columns) }
    },
    { reads: true, views: true },
  )
  addExamples(
    command,
    'report',
    "report --namespace '*'",
    'report --json',
    'report --at req_000123 --side before',
    "report --namespace '*' --url http://localhost:4011 --url http://localhost:4012",
  )
}

async function reportOf(clients: readonly ControlClient[]): Promise<{ text: string; report: Report }> {
  const [first, ...more] = await Promise.all(clients.map((client) => client.call('GET', '/report')))
  if (first && more.length === 0) return { text: first.text, report: first.value }
  const reports = [first, ...more].flatMap((answer) => (answer ? [answer.value] : []))
  const operations = [...new Set(reports.flatMap(({ uncovered }) => uncovered))]
  const report = sumReports(reports, operations)
  return { text: JSON.stringify(report), report }
}
