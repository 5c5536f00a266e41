import type { Command } from 'commander'
import { printableJson } from '../../text/printable.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { remote } from '../remote.ts'

export function register(command: Command, io: Io): void {
  remote(
    command,
    io,
    async (client) => {
      const text = await client.document('/_sandbox/recording')
      return { answer: { text }, people: printableJson(text) }
    },
    { reads: true },
  )
  addExamples(command, 'record > bug.jsonl', 'record --namespace worker-1 > bug.jsonl')
}
