import type { Command } from 'commander'
import { printableJson } from '../../domain/printable.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { remote } from '../remote.ts'

export function register(command: Command, io: Io): void {
  remote(
    command,
    io,
    async (client) => {
      const answer = await client.call('GET', '/export')
      return { answer, people: `${printableJson(answer.text.trimEnd())}\n` }
    },
    { reads: true },
  )
  addExamples(command, 'export > pets.json', 'export --namespace worker-1')
}
