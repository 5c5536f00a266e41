/** Commands that read, write and make fixtures. */
import { buffer } from 'node:stream/consumers'
import type { ControlClient } from '../../client/control.ts'
import { servedPetShape } from '../../client/pet-shape.ts'
import { withFile } from '../../compose/seed-file.ts'
import { loadContract } from '../../compose/start-files.ts'
import { isFile } from '../../config/resolve.ts'
import { choose, UsageError } from '../../config/usage-error.ts'
import type { Shares } from '../../contract/generate/shares.ts'
import type { Seed } from '../../contract/generated/control.types.d.ts'
import { FIXTURE_NAMES, formatOf, loadFixture, readFixtureInput } from '../../node/files/load.ts'
import { slices } from '../../node/turns.ts'
import { errorMessage } from '../../text/error.ts'
import { inThousands } from '../../text/in-thousands.ts'
import { plural } from '../../text/plural.ts'
import { printableJson, printableLines } from '../../text/printable.ts'
import { command, type Given, type Io, OVERLAYS, talkNotice } from '../command.ts'
import { remote } from '../remote.ts'
import { jsonText, readInteger } from '../values.ts'

const MAX = 1_000_000

/** The options for generated pets. */
const GENERATOR = {
  '--count <number>': {
    summary: `number of pets to generate, at most ${inThousands(MAX)}`,
    read: readInteger(0, MAX),
  },
  '--seed <number>': {
    summary: 'seed for the generated pets; the same seed gives the same pets',
    read: readInteger(Number.MIN_SAFE_INTEGER),
  },
  '--status <shares>': 'shares of each status, such as available=60,pending=30,sold=10',
}

type GeneratorGiven = Given<typeof GENERATOR>

/** The shares of `--status`. `statuses`: the known ones; a running sandbox validates against its own. */
async function sharesOf(text: string | undefined, statuses?: readonly string[]): Promise<Shares | undefined> {
  if (text === undefined) return undefined
  const { parseShares } = await import('../../contract/generate/shares.ts')
  try {
    return parseShares(text, statuses)
  } catch (error) {
    throw new UsageError(`--status: ${errorMessage(error)}`)
  }
}

const format = (summary: string) => ({
  '--format <format>': { summary, choices: ['json', 'yaml', 'csv'] as const, default: 'json' },
})

export const generate = command({
  takes: {
    ...GENERATOR,
    '--count <number>': {
      ...GENERATOR['--count <number>'],
      summary: `${GENERATOR['--count <number>'].summary} (default: 20)`,
    },
    ...format('format of the fixture'),
    ...OVERLAYS,
  },
  examples: [
    'generate --count 500 --seed 42 > pets.json',
    'generate --count 100 --status available=60,pending=30,sold=10 --format csv',
  ],
  async run({ format, overlay, count = 20, seed = 1, status: text }, io) {
    const { petShape } = await loadContract(overlay)
    const status = await sharesOf(text, petShape.statuses)
    const { generatePets } = await import('../../contract/generate/generate-pets.ts')
    const { serializeFixture } = await import('../../fixtures/serialize.ts')
    const pets = await generatePets(petShape, { count, seed, status })
    io.out(await serializeFixture(pets, format, petShape))
  },
})

export const validate = command({
  takes: {
    '<fixture>': 'a file (JSON, YAML or CSV), or the name of a built-in fixture',
    '--json': 'print a summary as JSON',
    ...OVERLAYS,
  },
  examples: ['validate pets.csv', 'validate .petstore-sandbox/db.json'],
  async run({ fixture: name, json, overlay }, io) {
    const { petShape } = await loadContract(overlay)
    const { validateDataFile } = await import('../../node/store/data-file.ts')
    const isJson = !FIXTURE_NAMES.includes(name) && formatOf(name) === 'json'
    const warn = (notice: string) => talkNotice(notice, io)
    const namespaces = isJson ? await validateDataFile(name, petShape, slices, warn) : undefined
    const stored = namespaces?.get('default')
    const { pets, nextId, keys } = stored
      ? { ...stored.pets.table, keys: stored.keys }
      : await loadFixture(namespaces ? 'default' : name, petShape)
    if (json) {
      const held = { fixture: name, pets: pets.length, nextId, keys: keys.length }
      return io.out(jsonText(held))
    }
    if (namespaces) {
      const held = [...namespaces.values()].reduce((sum, each) => sum + each.pets.size, 0)
      const count = plural(namespaces.size, 'namespace')
      return io.out(`${name} is a data file: ${count}, ${plural(held, 'pet')}.\n`)
    }
    const counts = `${plural(pets.length, 'pet')}, next id ${nextId}, ${plural(keys.length, 'key')}`
    io.out(`${name} is a fixture: ${counts}.\n`)
  },
})

export const seed = remote({
  takes: {
    '[fixture]': `${FIXTURE_NAMES.join(', ')}, or a file (JSON, YAML or CSV); - reads stdin`,
    '--add': 'add to the pets instead of replacing them',
    '--append': 'the same as --add',
    ...GENERATOR,
  },
  examples: [
    'seed sold-out',
    'seed pets.csv --add',
    'seed - < pets.csv',
    'seed --count 500 --seed 42 --status available=60,pending=30,sold=10',
  ],
  async call(client, { fixture, add, append, ...given }, { io }) {
    const mode = add || append ? 'append' : 'replace'
    const body = { ...(await contentOf(fixture, given, client, io)), mode } as const
    return client.call('POST', '/seed', { body })
  },
  output: ({ pets }, { client }) => `${plural(pets, 'pet')} in namespace ${client.namespace}.\n`,
})

/** The request body: a built-in fixture, the pets of a file, or options for generated pets. */
async function contentOf(
  fixture: string | undefined,
  given: GeneratorGiven,
  client: ControlClient,
  { input }: Io,
): Promise<Seed> {
  const { count, seed } = given
  const status = await sharesOf(given.status)
  if (fixture === undefined && count !== undefined) return { count, seed, status }
  if (fixture === undefined || count !== undefined || seed !== undefined || status !== undefined)
    throw new UsageError(
      'seed takes either a fixture or --count, to which --seed and --status can be added',
      'Use one of them, such as petstore-sandbox seed sold-out',
    )
  if (fixture === '-')
    return (await readFixtureInput(await buffer(input), 'stdin', await servedPetShape(client))) as Seed
  if (FIXTURE_NAMES.includes(fixture) || isFile(fixture)) return withFile({ fixture }, client)
  throw new UsageError(
    `There is no fixture "${fixture}"`,
    `${choose('Fixtures', FIXTURE_NAMES, fixture)}, or a file that ends in .json, .yaml, .yml, .csv or .tsv`,
  )
}

const exported = remote({
  takes: format('format of the fixture; csv contains the pets only'),
  examples: ['export > pets.json', 'export --format csv --namespace worker-1 > pets.csv'],
  reads: true,
  views: true,
  async call(client, { format, json }) {
    if (json && format !== 'json')
      throw new UsageError(`--json prints JSON, not ${format}`, 'Leave out --json or --format')
    const { text, value } = await client.call('GET', '/export')
    if (json) return { text, value: '' }
    const { serializeFixture } = await import('../../fixtures/serialize.ts')
    const fixture = await serializeFixture(value, format, await servedPetShape(client))
    return { text, value: format === 'json' ? printableJson(fixture) : fixture }
  },
  // A CSV file keeps every character of a name; JSON and YAML escape them.
  output: (fixture, { io }) => (io.columns === undefined ? fixture : printableLines(fixture)),
})

export { exported as export }
