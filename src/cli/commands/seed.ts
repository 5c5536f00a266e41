import { buffer } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { ControlClient } from '../../client/control.ts'
import { recordShapeOf } from '../../client/record-shape.ts'
import { withFile } from '../../compose/seed-file.ts'
import { isFile } from '../../config/file.ts'
import { UsageError } from '../../config/usage-error.ts'
import { didYouMean } from '../../contract/decisions/nearest.ts'
import type { Seed } from '../../contract/generated/control.types.d.ts'
import { FIXTURE_NAMES, readFixtureInput } from '../../node/files/load.ts'
import { plural } from '../../text/plural.ts'

import { type GeneratorFlags, generatorFlags, readGeneratorFlags } from '../generator-flags.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { type RemoteOutput, remote } from '../remote.ts'

type SeedFlags = GeneratorFlags & { readonly add?: boolean; readonly append?: boolean }

export function register(command: Command, io: Io): void {
  command
    .argument('[fixture]', `${FIXTURE_NAMES.join(', ')}, or a file (JSON, YAML or CSV); - reads stdin`)
    .option('--add', 'add to the pets instead of replacing them')
    .option('--append', 'the same as --add')
  remote<SeedFlags>(generatorFlags(command), io, (client, flags, fixture) => seed(client, flags, fixture, io))
  addExamples(
    command,
    'seed sold-out',
    'seed pets.csv --add',
    'seed - < pets.csv',
    'seed --count 500 --seed 42 --status available=60,pending=30,sold=10',
  )
}

async function seed(
  client: ControlClient,
  flags: SeedFlags,
  fixture: string | undefined,
  io: Io,
): Promise<RemoteOutput> {
  const mode = flags.add || flags.append ? 'append' : 'replace'
  const body = { ...(await content(flags, fixture, client, io)), mode } as const
  const answer = await client.call('POST', '/seed', { body })
  const { pets } = answer.value
  return { answer, people: `${plural(pets, 'pet')} in namespace ${client.namespace}.\n` }
}

/** The request body: a built-in fixture, the pets of a file, or how to generate pets. */
async function content(
  flags: SeedFlags,
  fixture: string | undefined,
  client: ControlClient,
  io: Io,
): Promise<Seed> {
  const { count, seed, status } = await readGeneratorFlags(flags)
  if (fixture === undefined && count !== undefined) {
    return { count, ...(seed !== undefined && { seed }), ...(status && { status }) }
  }
  if (fixture === undefined || count !== undefined || seed !== undefined || status !== undefined) {
    throw new UsageError(
      'Use either a fixture (petstore-sandbox seed sold-out) or --count, with --seed and --status if needed',
    )
  }
  if (fixture === '-')
    return (await readFixtureInput(await buffer(io.input), 'stdin', await recordShapeOf(client))) as Seed
  if ((FIXTURE_NAMES as readonly string[]).includes(fixture) || isFile(fixture))
    return withFile({ fixture }, client)
  throw new UsageError(
    `There is no fixture "${fixture}"`,
    `${didYouMean(fixture, FIXTURE_NAMES)} Fixtures: ${FIXTURE_NAMES.join(', ')}, or a file that ends in .json, .yaml, .csv or .tsv`,
  )
}
