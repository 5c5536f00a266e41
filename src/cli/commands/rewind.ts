import type { Command } from 'commander'
import { UsageError } from '../../config/usage-error.ts'
import type { RewindRequest, Side } from '../../contract/generated/control.types.d.ts'
import { plural } from '../../text/plural.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { addSide, remote } from '../remote.ts'

interface RewindOptions {
  readonly side?: Side
  readonly undo?: true
  readonly branch?: string
}

export function register(command: Command, io: Io): void {
  command.argument('[request]', 'id of a request or control call; history lists them')
  addSide(command, 'before')
  command
    .option('--undo', 'go back to what the last rewind undid')
    .option('--branch <name>', 'with --undo: what another rewind undid; history --branches lists them')
  remote<RewindOptions, [string | undefined]>(command, io, async (client, options, to) => {
    const answer = await client.call('POST', '/rewind', { body: requestOf(to, options) })
    const { now, pets, branch } = answer.value
    const where = to === undefined ? 'before the rewind' : `${options.side ?? 'before'} ${to}`
    const undone = branch === undefined ? '' : `\nWhat was undone is ${branch}; rewind --undo swaps them.`
    const people = `Namespace ${client.namespace} is back ${where}: ${plural(pets, 'pet')}, ${now}.${undone}\n`
    return { answer, people }
  })
  addExamples(command, 'rewind req_000123', 'rewind ctl_000007 --side after', 'rewind --undo')
}

function requestOf(to: string | undefined, { side, undo, branch }: RewindOptions): RewindRequest {
  if (undo) {
    if (to === undefined && side === undefined) return { undo, ...(branch !== undefined && { branch }) }
    throw new UsageError('--undo goes back to what a rewind undid. Leave out the request and --side')
  }
  if (branch !== undefined) throw new UsageError('--branch needs --undo. Add it, or leave out --branch')
  if (to !== undefined) return { to, ...(side !== undefined && { side }) }
  throw new UsageError('Name a request or a control call, such as req_000123, or undo a rewind with --undo')
}
