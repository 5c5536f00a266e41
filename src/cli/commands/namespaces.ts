import type { Command } from 'commander'
import type { ControlClient } from '../../client/control.ts'
import { ControlError } from '../../client/control-error.ts'
import type { Namespace } from '../../contract/generated/control.types.d.ts'
import { plural } from '../../text/plural.ts'
import { textTable } from '../../views/text-table.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { remoteToSeveral } from '../remote.ts'

export function register(command: Command, io: Io): void {
  remoteToSeveral(
    command
      .command('list', { isDefault: true })
      .description('list the namespaces, with pets and requests (the default)'),
    io,
    async (clients) => {
      const answers = await Promise.all(clients.map((client) => client.call('GET', '/namespaces')))
      const [only] = answers
      const rows = answers.flatMap(({ value }, i) =>
        value.map((namespace): Row => ({ ...namespace, url: clients[i]?.origin ?? '' })),
      )
      const text = only && answers.length === 1 ? only.text : JSON.stringify(rows)
      return { answer: { text }, people: table(rows, clients.length, io) }
    },
  )
  remoteToSeveral<[string]>(
    command
      .command('drop')
      .description('delete a namespace with all its state; default is created anew')
      .argument('<name>'),
    io,
    async (clients, name) => {
      const count = await dropEverywhere(clients, name)
      return {
        answer: { text: '' },
        people: `Dropped ${name}${count > 1 ? ` in ${count} sandboxes` : ''}.\n`,
      }
    },
  )
  addExamples(
    command,
    'namespaces',
    'namespaces drop worker-1',
    'namespaces --url http://localhost:4011 --url http://localhost:4012',
  )
}

type Row = Namespace & { readonly url: string }

function table(rows: readonly Row[], sandboxes: number, { paint, columns }: Io): string {
  const isOne = sandboxes === 1
  const headings = ['NAME', '>PETS', '>REQUESTS', 'CLOCK', ...(isOne ? [] : ['AT'])]
  const cells = rows.map(({ name, pets, requests, clock, url }) => [
    name,
    String(pets),
    String(requests),
    clock.frozen ? `${clock.now} frozen` : clock.now,
    ...(isOne ? [] : [url]),
  ])
  const pets = rows.reduce((sum, row) => sum + row.pets, 0)
  const requests = rows.reduce((sum, row) => sum + row.requests, 0)
  const counts = `${plural(pets, 'pet')}, ${plural(requests, 'request')} in the journals`
  const total = isOne ? '' : `${plural(rows.length, 'namespace')} in ${sandboxes} sandboxes: ${counts}.\n`
  return textTable(headings, cells, paint.strong, columns) + total
}

/** Drops the namespace in every sandbox that has it; returns their number. Throws a UsageError if none has it. */
async function dropEverywhere(clients: readonly ControlClient[], name: string): Promise<number> {
  const refusals: ControlError[] = []
  for (const client of clients) {
    try {
      // The query names the namespace too: a load balancer may route by it.
      await client.in(name).call('DELETE', '/namespaces/{name}', { params: { path: { name } } })
    } catch (error) {
      if (!(error instanceof ControlError && error.status === 404)) throw error
      refusals.push(error)
    }
  }
  if (refusals[0] && refusals.length === clients.length) throw refusals[0]
  return clients.length - refusals.length
}
