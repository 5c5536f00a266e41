import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { didYouMean } from '../../contract/decisions/nearest.ts'
import type { PetShape } from '../../contract/openapi/pet-shape.ts'
import { FixtureError } from '../../fixtures/fixture-error.ts'
import { type FixtureFormat, READERS, type ReadFixture, readFixture } from '../../fixtures/parse.ts'
import { SEPARATOR_LINE } from '../../fixtures/parsed-text.ts'
import { errorCode, fileReason } from '../../text/error.ts'
import { withoutMark } from '../../text/utf8.ts'
import type { CompleteFixture, FixtureInput } from '../../world/pets/fixture.ts'
import { notText } from './not-text.ts'
import { packageFile } from './package.ts'

export const FIXTURE_NAMES: readonly string[] = ['default', 'empty', 'sold-out', 'busy', 'edge-cases']

const FORMATS: Readonly<Record<string, FixtureFormat>> = {
  '.json': 'json',
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '.csv': 'csv',
  '.tsv': 'csv',
}

/** The format of a file by its extension; undefined if it is unknown. */
export const formatOf = (file: string): FixtureFormat | undefined => FORMATS[path.extname(file).toLowerCase()]

/**
 * Loads a built-in fixture by name, or else the file at that path. A data file stands for its namespace `default`, or for
 * the built-in fixture `default` if it does not contain that. Rejects with a FixtureError.
 */
export const loadFixture = async (nameOrFile: string, shape: PetShape): Promise<CompleteFixture> =>
  (await loadBoth(nameOrFile, shape)).fixture

/** Like `loadFixture`; the result also has the fixture as it was written, without assigned ids. */
export async function loadBoth(nameOrFile: string, shape: PetShape): Promise<ReadFixture> {
  const isBuiltIn = FIXTURE_NAMES.includes(nameOrFile)
  const file = isBuiltIn ? packageFile(`fixtures/${nameOrFile}.json`) : nameOrFile
  const bytes = await read(file)
  const format = formatOf(file)
  if (!format) throw unusable(file, 'the name must end in .json, .yaml, .yml, .csv or .tsv')
  // A namespace that never changed is not in the file.
  return (await readFixture(decoded(bytes, file), READERS[format], file, shape)) ?? loadBoth('default', shape)
}

/** A fixture as it was written. Its format is guessed from its beginning. Rejects with a FixtureError. */
export async function readFixtureInput(
  bytes: Uint8Array,
  source: string,
  shape: PetShape,
): Promise<FixtureInput> {
  const text = decoded(Buffer.from(bytes), source)
  const found = await readFixture(text, READERS[guessedFormat(text)], source, shape)
  if (!found)
    throw new FixtureError([{ path: [], reason: 'this data file has no namespace default' }], source)
  return found.input
}

/** The first line of YAML begins with a sign, or has the colon of a key; the header row of CSV has neither. */
const YAML_LINE = /^[-#%&!?]|:(\s|$)/

/** JSON begins with a bracket. Other text is CSV unless its first line can only be YAML. */
function guessedFormat(text: string): FixtureFormat {
  const content = withoutMark(text).trimStart()
  if (/^[[{]/.test(content)) return 'json'
  const [first = ''] = content.split(/[\r\n]/, 1)
  return YAML_LINE.test(first) && !SEPARATOR_LINE.test(content) ? 'yaml' : 'csv'
}

function decoded(bytes: Buffer, source: string): string {
  const fault = notText(bytes, 'this is not UTF-8 text')
  if (fault) throw new FixtureError([{ path: [], ...fault }], source)
  return bytes.toString()
}

const unusable = (file: string | undefined, reason: string): FixtureError =>
  new FixtureError([{ path: [], reason }], file, 0, 'Check the path, or use a built-in fixture')

async function read(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw unusable(file, `it cannot be read: ${fileReason(error)}`)
    const hint = didYouMean(file, FIXTURE_NAMES)
    const reason =
      `"${file}" is not a built-in fixture (${FIXTURE_NAMES.join(', ')}), ` +
      `and there is no file ${path.resolve(file)}${hint && `.${hint}`}`
    throw unusable(undefined, reason)
  }
}
