import type { Command } from 'commander'
import type { Side } from '../../contract/generated/control.types.d.ts'
import { plural } from '../../text/plural.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { addSide, remote } from '../remote.ts'

export function register(command: Command, io: Io): void {
  command.argument('<request>', 'id of a request or control call; history lists them')
  addSide(command, 'before')
  remote<{ readonly side?: Side }, [string]>(command, io, async (client, { side }, to) => {
    const answer = await client.call('POST', '/rewind', { body: { to, ...(side !== undefined && { side }) } })
    const { now, pets } = answer.value
    const people = `Namespace ${client.namespace} is back ${side ?? 'before'} ${to}: ${plural(pets, 'pet')}, ${now}.\n`
    return { answer, people }
  })
  addExamples(command, 'rewind req_000123', 'rewind ctl_000007 --side after')
}
