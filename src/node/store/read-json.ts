import { isUtf8 } from 'node:buffer'
import fs from 'node:fs'
import { mayRepeatName, parseJson } from '../../contract/openapi/json.ts'
import { lineAt, lineOf, repeatedName } from '../../contract/openapi/json-positions.ts'
import type { Slices } from '../../time/slices.ts'
import type { Pet } from '../../world/pets/pet.ts'
import { DataFileError, reasonOf, unreadable } from './data-file-error.ts'
import { type PetReader, type PetsOf, ValidationError } from './validation.ts'

/** Validates a parsed value; throws a ValidationError. */
export type Validate<T> = (value: unknown, pets: PetsOf, bytes: Buffer) => T

/**
 * Reads a JSON file that may hold a million pets, in slices where it has one pet a line, as the sandbox writes it. A
 * file of another layout, or with an error, is read once more as a whole: this is slower, but finds the line of the
 * error. `isIntact`: the sandbox wrote it, so that no name is there twice. Rejects with a DataFileError.
 */
export async function readPetsFile<T>(
  path: string,
  reader: PetReader,
  validate: Validate<T>,
  slices: Slices,
  isIntact: (bytes: Buffer) => boolean = () => false,
): Promise<T> {
  const bytes = await fs.promises.readFile(path)
  try {
    if (isUtf8(bytes) && !bytes.includes(0))
      return await slices.run(readSteps(bytes, reader, validate, isIntact(bytes)))
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof ValidationError || error instanceof RangeError))
      throw error
  }
  return readWhole(path, bytes, reader, validate)
}

const LIST = '"pets": [\n'
const LIST_END = /\n *\]/g
const PET_END = '},\n'
/** The characters parsed at a time: as fast as one JSON.parse of everything. */
const STEP = 64 * 1024
/** Stands for a list of pets in the rest of the text. */
const MARK = '\0'

function* readSteps<T>(
  bytes: Buffer,
  reader: PetReader,
  validate: Validate<T>,
  isIntact: boolean,
): Generator<undefined, T> {
  const text = bytes.toString().replace(/^\uFEFF/, '')
  if (text.includes('\\u0000')) throw new SyntaxError('This could be taken for a list of pets')
  const lists: Pet[][] = []
  let [rest, at] = ['', 0]
  for (let start = text.indexOf(LIST); start !== -1; start = text.indexOf(LIST, at)) {
    LIST_END.lastIndex = start
    const end = LIST_END.exec(text)
    if (!end) break
    rest += `${text.slice(at, start)}"pets":${JSON.stringify(MARK + lists.length)}`
    at = LIST_END.lastIndex
    lists.push(yield* petsSteps(text.slice(start + LIST.length, end.index), reader, isIntact))
  }
  rest += text.slice(at)
  const petsOf: PetsOf = (value, path) => {
    const list =
      typeof value === 'string' && value.startsWith(MARK) ? lists[Number(value.slice(1))] : undefined
    return list ?? reader.petsOf(value, path)
  }
  const value = parseJson(rest)
  if (!isIntact && mayRepeatName(rest, value)) throw new SyntaxError('A name may be repeated')
  return validate(value, petsOf, bytes)
}

/** Pets, one a line, with commas between them. */
function* petsSteps(lines: string, reader: PetReader, isIntact: boolean): Generator<undefined, Pet[]> {
  const pets: Pet[] = []
  for (let at = 0; at < lines.length; ) {
    const end = lines.indexOf(PET_END, at + STEP)
    const text = `[${end === -1 ? lines.slice(at) : lines.slice(at, end + 1)}]`
    const found = JSON.parse(text) as unknown[]
    if (!isIntact && mayRepeatName(text, found)) throw new SyntaxError('A name may be repeated')
    const read = found.every(reader.isPlain) ? (found as Pet[]) : reader.petsOf(parseJson(text), [])
    for (const pet of read) pets.push(pet)
    at = end === -1 ? lines.length : end + PET_END.length
    yield
  }
  return pets
}

async function readWhole<T>(
  path: string,
  bytes: Buffer,
  reader: PetReader,
  validate: Validate<T>,
): Promise<T> {
  if (!isUtf8(bytes)) throw unreadable(path, badLineOf(bytes), 'this is not UTF-8')
  const text = bytes.toString().replace(/^\uFEFF/, ' ')
  const nul = text.indexOf('\0')
  if (nul >= 0) throw unreadable(path, lineOf(text, nul), 'this holds a NUL character, so it is not text')
  try {
    const value = parseJson(text)
    const found = validate(value, reader.petsOf, bytes)
    const repeated = await repeatedName(text, value)
    if (!repeated) return found
    const reason = `the name ${JSON.stringify(repeated.name)} appears twice in one object`
    throw unreadable(path, lineOf(text, repeated.position), reason)
  } catch (error) {
    if (error instanceof DataFileError) throw error
    if (error instanceof ValidationError)
      throw unreadable(path, await lineAt(text, error.path), error.message)
    const position = /at position (\d+)/.exec(reasonOf(error))?.[1]
    const line = position === undefined ? undefined : lineOf(text, Number(position))
    throw unreadable(path, line, reasonOf(error))
  }
}

/** The number of the first line that is not UTF-8. */
export function badLineOf(bytes: Buffer): number {
  let [line, start] = [1, 0]
  for (let end = bytes.indexOf('\n'); end !== -1; end = bytes.indexOf('\n', start)) {
    if (!isUtf8(bytes.subarray(start, end))) break
    line++
    start = end + 1
  }
  return line
}
