import type { Command } from 'commander'
import { stringifyJson } from '../../contract/openapi/json.ts'
import { plural } from '../../text/plural.ts'
import { textTable } from '../../views/text-table.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { remote } from '../remote.ts'

interface PetFlags {
  readonly status?: string
  readonly q?: string
  readonly limit?: string
  readonly after?: string
}

export function register(command: Command, io: Io): void {
  command
    .option('--status <status>', 'only pets with this status')
    .option('--q <text>', 'only pets whose name contains this text, in any case, or with this id')
    .option('--limit <count>', 'how many pets to show, at most 1000 (default: 100)')
    .option('--after <id>', 'only pets with a higher id')
  remote<PetFlags>(
    command,
    io,
    async (client, { status, q, limit, after }) => {
      // Not validated here: the sandbox does it.
      const query = { status, q, limit: limit as number | undefined, after }
      const answer = await client.call('GET', '/pets', { params: { query } })
      const pets: readonly Record<string, unknown>[] = answer.value
      const total = Number(answer.headers.get('x-total-count'))
      if (pets.length === 0) return { answer, people: `No such pets in namespace ${client.namespace}.\n` }
      const names = [...new Set(['id', 'name', 'categoryId', 'status', ...pets.flatMap(Object.keys)])]
      const rows = pets.map((pet) => names.map((name) => cellOf(pet[name])))
      const table = textTable(names.map(headingOf), rows, io.paint.strong, io.columns)
      return {
        answer,
        people: pets.length < total ? `${table}${pets.length} of ${plural(total, 'pet')}\n` : table,
      }
    },
    { reads: true, views: true },
  )
  addExamples(
    command,
    'pets --status sold',
    'pets --q kit --namespace worker-1',
    'pets --after 100 --limit 20',
  )
}

const cellOf = (value: unknown): string =>
  value === undefined ? '-' : typeof value === 'string' ? value : stringifyJson(value)

const headingOf = (name: string): string =>
  `${/^(id|categoryId)$/.test(name) ? '>' : '~'}${name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toUpperCase()}`
