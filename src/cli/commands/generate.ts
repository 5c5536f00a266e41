import { type Command, Option } from 'commander'
import { loadContract } from '../../compose/contract.ts'
import type { FixtureFormat } from '../../fixtures/parse.ts'
import { type GeneratorFlags, generatorFlags, readGeneratorFlags } from '../generator-flags.ts'
import { addExamples, addOverlays } from '../help.ts'
import type { Io } from '../io.ts'

export function register(command: Command, io: Io): void {
  generatorFlags(command).addOption(
    new Option('--format <format>', 'form of the fixture').choices(['json', 'yaml', 'csv']).default('json'),
  )
  addOverlays(command, ': its fields are generated too').action(
    async (
      flags: GeneratorFlags & { readonly format: FixtureFormat; readonly overlay?: readonly string[] },
    ) => {
      const { count = 20, seed = 1, status } = await readGeneratorFlags(flags)
      const { generatePets } = await import('../../contract/generate/generate-pets.ts')
      const { serializeFixture } = await import('../../fixtures/serialize.ts')
      const { petShape } = await loadContract(flags.overlay)
      io.out(
        await serializeFixture(
          await generatePets(petShape, { count, seed, ...(status && { status }) }),
          flags.format,
          petShape,
        ),
      )
    },
  )
  addExamples(
    command,
    'generate --count 500 --seed 42 > pets.json',
    'generate --count 100 --status available=60,pending=30,sold=10 --format csv',
  )
}
