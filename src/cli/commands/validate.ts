import type { Command } from 'commander'
import { plural } from '../../domain/plural.ts'
import { loadFixture } from '../../fixtures/load.ts'
import { fixturesFolder } from '../../package.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'

export function register(command: Command, io: Io): void {
  command
    .argument('<fixture>', 'a file (JSON, YAML or CSV), or the name of a fixture that ships')
    .action(async (name: string) => {
      const { pets, nextId, keys } = await loadFixture(name, fixturesFolder())
      io.out(
        `${name} is a fixture: ${plural(pets.length, 'pet')}, next id ${nextId}, ${plural(keys.length, 'key')}.\n`,
      )
    })
  addExamples(command, 'validate pets.csv', 'validate .petstore-sandbox/db.json')
}
