import type { Command } from 'commander'
import type { Side } from '../../contract/generated/control.types.d.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { addSide, remote } from '../remote.ts'

export function register(command: Command, io: Io): void {
  command.argument('<namespace>', 'name of the copy')
  command.option('--at <request>', 'copy the state at that point of history')
  addSide(command, 'after')
  remote<{ readonly at?: string; readonly side?: Side }, [string]>(
    command,
    io,
    async (client, { at, side }, into) => {
      const body = { into, ...(at !== undefined && { at }), ...(side !== undefined && { side }) }
      const answer = await client.call('POST', '/fork', { body })
      const { namespace, key } = answer.value
      return {
        answer,
        people: `Namespace ${namespace} is a copy of ${client.namespace}; its key is ${key}.\n`,
      }
    },
  )
  addExamples(command, 'fork w2', 'fork w2 --at req_000123 --side before')
}
