import type { Command } from 'commander'
import type { ControlResponse } from '../../client/call.ts'
import type { ControlClient } from '../../client/control.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { SnapshotView } from '../../contract/generated/control.types.d.ts'
import { plural } from '../../text/plural.ts'
import { textTable } from '../../views/text-table.ts'

import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { type RemoteOutput, remote } from '../remote.ts'

export function register(command: Command, io: Io): void {
  const part = (name: string, summary: string, isDefault = false) =>
    command.command(name, { isDefault }).description(summary)
  remote(
    part('list', 'list the snapshots of the namespace (the default)', true),
    io,
    (client) => list(client, io),
    { reads: true },
  )
  const saving = part('save <name>', 'save pets, id counter and keys under a name')
  saving.option('--force', 'replace the snapshot of that name, if there is one')
  remote<SaveFlags>(saving, io, async (client, { force }, name) => {
    if (!force) await refuseTaken(client, name)
    return about('Saved', await client.call('PUT', '/snapshots/{name}', at(name)))
  })
  remote(part('restore <name>', 'go back to a snapshot'), io, async (client, _, name) =>
    about('Restored', await client.call('POST', '/snapshots/{name}/restore', at(name))),
  )
  remote(part('delete <name>', 'delete a snapshot'), io, async (client, _, name) => ({
    answer: await client.call('DELETE', '/snapshots/{name}', at(name)),
    people: `Deleted snapshot ${name}.\n`,
  }))
  addExamples(command, 'snapshot save before-checkout', 'snapshot restore before-checkout', 'snapshot list')
}

interface SaveFlags {
  readonly force?: boolean
}

async function refuseTaken(client: ControlClient, name = ''): Promise<void> {
  const { value } = await client.call('GET', '/snapshots')
  const taken = value.find((snapshot) => snapshot.name === name)
  if (!taken) return
  throw new UsageError(
    `There is a snapshot ${name} already, of ${plural(taken.pets, 'pet')}, saved at ${taken.at}`,
    'Take another name, or replace it with --force',
  )
}

const at = (name = '') => ({ params: { path: { name } } })

function about(what: string, answer: ControlResponse<SnapshotView>): RemoteOutput {
  const { name, pets } = answer.value
  return { answer, people: `${what} snapshot ${name}: ${plural(pets, 'pet')}.\n` }
}

async function list(client: ControlClient, { paint, columns }: Io): Promise<RemoteOutput> {
  const answer = await client.call('GET', '/snapshots')
  const snapshots = answer.value
  if (snapshots.length === 0) return { answer, people: `No snapshots in namespace ${client.namespace}.\n` }
  const rows = snapshots.map(({ name, pets, at }) => [name, String(pets), at])
  return { answer, people: textTable(['~NAME', '>PETS', 'SAVED AT'], rows, paint.strong, columns) }
}
