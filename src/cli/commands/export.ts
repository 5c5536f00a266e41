import type { Command } from 'commander'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { remote } from '../remote.ts'

export function register(command: Command, io: Io): void {
  remote(command, io, async (client) => {
    const answer = await client.call('GET', '/export')
    return { answer, people: `${answer.text.trimEnd()}\n` }
  })
  addExamples(command, 'export > pets.json', 'export --namespace worker-1')
}
