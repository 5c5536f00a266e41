import type { Command } from 'commander'
import { checkOptions } from '../../config/options.ts'
import { describeDecisions } from '../../contract/decisions/decisions.ts'
import type { DecisionView } from '../../contract/generated/control.types.d.ts'
import { tableLines } from '../../views/text-table.ts'
import { wrapText } from '../../views/wrap.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { addAddress, askedOf, type RemoteOptions } from '../remote.ts'
import { addStartOptions, startOptions } from '../start-options.ts'

export function register(command: Command, io: Io): void {
  addAddress(command, 'show those of the sandbox that runs there')
  addStartOptions(command, ['decisions', 'limits', 'strict', 'config'])
    .option('--json', 'print the decisions as JSON, with the reason for each default')
    .action(async ({ json, ...flags }: Omit<RemoteOptions, 'json'> & { readonly json?: boolean }) => {
      const { client, others } = askedOf(flags, io)
      const views = client
        ? (await client.call('GET', '/decisions')).value
        : describeDecisions(checkOptions((await startOptions(others, io)).options).policy)
      if (json) return io.out(`${JSON.stringify(views, undefined, 2)}\n`)
      io.out(decisionsTable(views, io))
    })
  addExamples(
    command,
    'decisions',
    'decisions --set list.limit=clamp',
    'decisions --url http://localhost:4010',
  )
}

/** One row per decision with its question below it, which fits a narrow terminal. */
function decisionsTable(views: readonly DecisionView[], { paint, columns }: Io): string {
  const rows = views.map(({ name, choices, default: standard, value }) => [
    name,
    value === standard ? value : { text: value, paint: paint.warn },
    choices,
  ])
  const { head, rows: lines } = tableLines(['DECISION', 'EFFECTIVE', '~CHOICES'], rows, columns)
  const width = (columns ?? Infinity) - 4
  const questionOf = ({ section, question }: DecisionView) =>
    wrapText(`${question} (section ${section})`, width).map((line) => paint.dim(`    ${line}`))
  const blocks = views.flatMap((view, row) => [...(lines[row] ?? []), ...questionOf(view)])
  return `${[...head.map((line) => paint.strong(line)), ...blocks].join('\n')}\n`
}
