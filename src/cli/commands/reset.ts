import type { Command } from 'commander'
import type { ResetPart } from '../../contract/generated/control.types.d.ts'
import { plural } from '../../text/plural.ts'
import { RESET_PARTS } from '../../world/reset.ts'

import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { remote } from '../remote.ts'

export function register(command: Command, io: Io): void {
  const part = command.createArgument('[part...]', 'what to reset (default: all but keys)')
  command.addArgument(part.choices(RESET_PARTS))
  remote<unknown, [ResetPart[]]>(command, io, async (client, _, parts) => {
    const body = parts.length > 0 ? { only: parts } : {}
    const answer = await client.call('POST', '/reset', { body })
    const { reset, pets } = answer.value
    return {
      answer,
      people: `Reset ${reset.join(', ')} of namespace ${client.namespace}: ${plural(pets, 'pet')}.\n`,
    }
  })
  addExamples(command, 'reset', 'reset limits bans', 'reset --namespace worker-1')
}
