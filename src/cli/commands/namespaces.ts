import type { ControlClient } from '../../client/control.ts'
import { ControlError, Unreachable } from '../../client/control-error.ts'
import type { Namespace } from '../../contract/generated/control.types.d.ts'
import { plural } from '../../text/plural.ts'
import { readNamespace } from '../../world/keys/bearer-token.ts'
import { group } from '../command.ts'
import { remote } from '../remote.ts'

export const namespaces = group(
  {
    list: remote({
      summary: 'list the namespaces, with pets and requests (the default)',
      several: true,
      async call(_, __, { clients }) {
        const answers = await Promise.all(clients.map((client) => client.call('GET', '/namespaces')))
        const all = answers.flatMap(({ value }, i) =>
          value.map((each): NamespaceAt => ({ ...each, url: clients[i]?.origin ?? '' })),
        )
        const [only] = answers
        return { text: only && answers.length === 1 ? only.text : JSON.stringify(all), value: all }
      },
      output: (all, { clients }) => namespaceTable(all, clients.length),
    }),
    drop: remote({
      summary: 'delete a namespace with its state; default is created again',
      takes: { '<name>': { summary: 'name of the namespace', read: readNamespace } },
      several: true,
      call: async (_, { name }, { clients }) => ({ text: '', value: await dropEverywhere(clients, name) }),
      output: (count, { given }) => `Dropped ${given.name}${count > 1 ? ` in ${count} sandboxes` : ''}.\n`,
    }),
  },
  [
    'namespaces',
    'namespaces drop worker-1',
    'namespaces --url http://localhost:4011 --url http://localhost:4012',
  ],
)

type NamespaceAt = Namespace & { readonly url: string }

function namespaceTable(all: readonly NamespaceAt[], sandboxes: number) {
  const isOne = sandboxes === 1
  const rows = all.map(({ name, pets, requests, clock, url }) => [
    name,
    pets ?? '',
    requests,
    clock.frozen ? `${clock.now} frozen` : clock.now,
    ...(isOne ? [] : [url]),
  ])
  const table = { head: ['NAME', '>PETS', '>REQUESTS', 'CLOCK', ...(isOne ? [] : ['AT'])], rows }
  if (isOne) return table
  const pets = all.reduce((sum, row) => sum + (row.pets ?? 0), 0)
  const requests = all.reduce((sum, row) => sum + row.requests, 0)
  const ofPets = all.some((row) => row.pets !== undefined) ? `${plural(pets, 'pet')}, ` : ''
  const counts = `${ofPets}${plural(requests, 'request')} in the journals`
  return [table, `${plural(all.length, 'namespace')} in ${sandboxes} sandboxes: ${counts}.\n`]
}

/**
 * Drops the namespace in every sandbox that has it. Returns their number. Throws a ControlError if it is 0, and an
 * Unreachable if a sandbox does not answer, which also says what was dropped.
 */
async function dropEverywhere(clients: readonly ControlClient[], name: string): Promise<number> {
  // The namespace is also in the query, by which a load balancer may route.
  const calls = clients.map((client) =>
    client.in(name).call('DELETE', '/namespaces/{name}', { path: { name } }),
  )
  const ends = await Promise.allSettled(calls)
  const errors: unknown[] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
  const others = errors.filter((error) => !(error instanceof ControlError && error.status === 404))
  const dropped = clients.length - errors.length
  const [first = dropped === 0 ? errors[0] : undefined] = others
  if (first instanceof Unreachable && dropped > 0) {
    const done = `Dropped ${name} in ${plural(dropped, 'sandbox', 'sandboxes')}.`
    throw new Unreachable(`${done} ${first.problem}`, first.fix)
  }
  if (first) throw first
  return dropped
}
