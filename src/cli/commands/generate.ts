import { type Command, Option } from 'commander'
import { animalStoreContract } from '../../contract/animal-store.ts'
import type { FixtureFormat } from '../../fixtures/parse.ts'
import { type GeneratorFlags, generatorFlags, readGeneratorFlags } from '../generator-flags.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'

export function register(command: Command, io: Io): void {
  generatorFlags(command)
    .addOption(
      new Option('--format <format>', 'form of the fixture').choices(['json', 'yaml', 'csv']).default('json'),
    )
    .action(async (flags: GeneratorFlags & { readonly format: FixtureFormat }) => {
      const { count = 20, seed = 1, status } = await readGeneratorFlags(flags)
      const { generatePets } = await import('../../generate/generate-pets.ts')
      const { newPetSchema } = await import('../../generate/new-pet-schema.ts')
      const { serializeFixture } = await import('../../fixtures/serialize.ts')
      const schema = newPetSchema(animalStoreContract().document)
      io.out(
        await serializeFixture(
          await generatePets(schema, { count, seed, ...(status && { status }) }),
          flags.format,
        ),
      )
    })
  addExamples(
    command,
    'generate --count 500 --seed 42 > pets.json',
    'generate --count 100 --status available=60,pending=30,sold=10 --format csv',
  )
}
