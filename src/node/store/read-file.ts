import { isUtf8 } from 'node:buffer'
import fs from 'node:fs'
import { mayRepeatName } from '../../contract/openapi/json.ts'
import { lineAt, lineOf, repeatedName } from '../../contract/openapi/json-positions.ts'
import { DataFileError, reasonOf, unreadable } from './data-file-error.ts'
import { exactly } from './parse.ts'
import type { PetReader } from './pet-reader.ts'
import { Pieces } from './pieces.ts'
import { badLineOf, blocksOf } from './read-blocks.ts'
import { type PetsOf, ValidationError } from './shape.ts'
import { Seal } from './text.ts'

const NUL = 0

/** Validates a parsed value; throws a ValidationError. */
export type Shape<T> = (value: unknown, pets: PetsOf, seal: Seal) => T

/**
 * Reads a JSON file that may hold a million pets. In the layout of the sandbox, one pet per line, it is read in slices,
 * as fast as with one JSON.parse, while the event loop runs. A file of another layout, or with an error, is read a second
 * time as a whole: this is slower, but finds the line of the error. Rejects with a DataFileError.
 */
export async function readPetsFile<T>(path: string, reader: PetReader, shape: Shape<T>): Promise<T> {
  return (await readInPieces(path, reader, shape)) ?? readWhole(path, reader, shape)
}

/**
 * Undefined if the file must be read as a whole. Repeated names are looked for only in files that were edited, because
 * the sandbox writes none.
 */
async function readInPieces<T>(
  path: string,
  reader: PetReader,
  shape: Shape<T>,
  isStrict = false,
): Promise<T | undefined> {
  const pieces = new Pieces(reader, isStrict)
  const seal = new Seal()
  try {
    for await (const block of blocksOf(path)) {
      if (!isUtf8(block) || block.includes(NUL)) return undefined
      seal.take(block)
      pieces.take(block.toString().replaceAll('\r\n', '\n'))
    }
    if (!seal.isIntact && !isStrict) return await readInPieces(path, reader, shape, true)
    const { found, value } = shapedBy(shape, pieces.frame, pieces.petsOf, seal)
    return isStrict && mayRepeatName(pieces.frame, value) ? undefined : found
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ValidationError || error instanceof RangeError)
      return undefined
    throw error
  }
}

function shapedBy<T>(shape: Shape<T>, text: string, petsOf: PetsOf, seal: Seal) {
  return exactly(text, (value) => ({ value, found: shape(value, petsOf, seal) }))
}

async function readWhole<T>(path: string, reader: PetReader, shape: Shape<T>): Promise<T> {
  const bytes = await fs.promises.readFile(path)
  if (!isUtf8(bytes)) throw unreadable(path, badLineOf(bytes), 'this is not UTF-8')
  const text = bytes.toString().replace(/^\uFEFF/, ' ')
  const nul = text.indexOf('\0')
  if (nul >= 0) throw unreadable(path, lineOf(text, nul), 'this holds a NUL character, so it is not text')
  const seal = new Seal()
  seal.take(bytes)
  try {
    const { found, value } = shapedBy(shape, text, reader.petsOf, seal)
    const repeated = await repeatedName(text, value)
    if (!repeated) return found
    const reason = `the name ${JSON.stringify(repeated.name)} is there twice in one object`
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
