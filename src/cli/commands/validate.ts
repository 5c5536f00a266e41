import type { Command } from 'commander'
import { loadContract } from '../../compose/contract.ts'
import { stringifyJson } from '../../contract/openapi/json.ts'
import { FIXTURE_NAMES, formatOf, loadFixture } from '../../node/files/load.ts'
import { fixturesFolder } from '../../node/files/package.ts'
import { validateDataFile } from '../../node/store/validate-data-file.ts'
import { slices } from '../../node/turns.ts'
import { plural } from '../../text/plural.ts'
import { addExamples, addOverlays } from '../help.ts'
import type { Io } from '../io.ts'

export function register(command: Command, io: Io): void {
  command
    .argument('<fixture>', 'a file (JSON, YAML or CSV), or the name of a built-in fixture')
    .option('--json', 'print a summary as JSON')
  addOverlays(command, ': its fields are validated too').action(
    async (
      name: string,
      { json, overlay }: { readonly json?: boolean; readonly overlay?: readonly string[] },
    ) => {
      const { petShape } = await loadContract(overlay)
      const { pets, nextId, keys } = await loadFixture(name, fixturesFolder(), petShape)
      const ships = (FIXTURE_NAMES as readonly string[]).includes(name)
      const isJson = !ships && formatOf(name) === 'json'
      const namespaces = isJson ? await validateDataFile(name, petShape, slices) : undefined
      if (namespaces && !json) {
        const held = [...namespaces.values()].reduce((sum, each) => sum + each.pets.size, 0)
        const count = plural(namespaces.size, 'namespace')
        return io.out(`${name} is a data file: ${count}, ${plural(held, 'pet')}.\n`)
      }
      if (json) {
        const held = { fixture: name, pets: pets.length, nextId, keys: keys.length }
        return io.out(`${stringifyJson(held)}\n`)
      }
      io.out(
        `${name} is a fixture: ${plural(pets.length, 'pet')}, next id ${nextId}, ${plural(keys.length, 'key')}.\n`,
      )
    },
  )
  addExamples(command, 'validate pets.csv', 'validate .petstore-sandbox/db.json')
}
