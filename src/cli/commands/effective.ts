/** Commands that print the effective decisions and document, of a running sandbox or of the given options. */
import { checkOptions } from '../../config/options.ts'
import { describeDecisions } from '../../contract/decisions/decisions.ts'
import type { DecisionView } from '../../contract/generated/control.types.d.ts'
import { toYaml } from '../../contract/openapi/document.ts'
import { tableLines } from '../../views/text-table.ts'
import { wrapText } from '../../views/wrap.ts'
import { command, type Io } from '../command.ts'
import { address, clientByUrl } from '../remote.ts'
import { ENVIRONMENT, startOptions, startTakes } from '../start-options.ts'
import { jsonText } from '../values.ts'

export const decisions = command({
  takes: {
    ...address('show the decisions of a running sandbox'),
    ...startTakes(['decisions', 'limits', 'strict', 'config']),
    '--json': 'print the decisions as JSON, with the reason for each default',
  },
  notes: [ENVIRONMENT],
  examples: ['decisions', 'decisions --set list.limit=clamp', 'decisions --url http://localhost:4010'],
  async run({ json, ...given }, io) {
    const { client, others } = clientByUrl(given, io)
    const views = client
      ? (await client.call('GET', '/decisions')).value
      : describeDecisions(checkOptions((await startOptions(others, io)).options).policy)
    io.out(json ? jsonText(views, 2) : decisionsTable(views, io))
  },
})

/** One row per decision with its question below; it fits a narrow terminal. */
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

export const spec = command({
  takes: {
    ...address('print the document of a running sandbox'),
    ...startTakes(['decisions', 'limits', 'strict', 'overlay', 'now', 'port', 'config']),
    '-p, --port <number>': 'port in the address of the server (default: 4010)',
    '--format <format>': { summary: 'format of the document', choices: ['yaml', 'json'], default: 'yaml' },
  },
  notes: [ENVIRONMENT],
  examples: [
    'spec > openapi.yaml',
    'spec --format json --set list.limit=clamp',
    'spec --url http://localhost:4010',
  ],
  async run({ format, ...given }, io) {
    const { client, others } = clientByUrl(given, io)
    if (client) {
      const { value: document } = await client.call('GET', '/interface.json')
      return io.out(format === 'json' ? jsonText(document, 2) : `${(await toYaml(document)).trimEnd()}\n`)
    }
    const { options, located } = await startOptions(others, io)
    const { createSandbox } = await import('../../compose/sandbox.ts')
    // In memory: pets are not needed, and the data file may be locked.
    const overrides = { db: undefined, fixture: 'empty', log: 'silent', listen: false } as const
    await using sandbox = await located(createSandbox({ ...options, ...overrides }))
    const response = await sandbox.fetch(`/openapi.${format}`)
    io.out(`${(await response.text()).trimEnd()}\n`)
  },
})
