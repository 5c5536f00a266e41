import { isUtf8 } from 'node:buffer'
import fs from 'node:fs'
import { reasonOf, unreadable } from './data-file-error.ts'
import { lineAt, lineOf } from './line-at.ts'
import { exactly } from './parse.ts'
import type { PetReader } from './pet-reader.ts'
import { Pieces } from './pieces.ts'
import { badLineOf, blocksOf } from './read-blocks.ts'
import { type PetsOf, ValidationError } from './shape.ts'
import { Seal } from './text.ts'

/** Turns what was parsed into what is meant, or throws a Misfit. */
export type Shape<T> = (value: unknown, pets: PetsOf, seal: Seal) => T

/**
 * Reads a JSON file that may hold a great many pets. Written one pet a line, as the sandbox does it, they are
 * read in pieces, as fast as one JSON.parse, with the loop free in between and whatever the size of the file.
 * Any other layout, and whatever does not fit, is read a second time as a whole: slower, but knowing the line.
 * Throws a DataFileError.
 */
export async function readPetsFile<T>(path: string, reader: PetReader, shape: Shape<T>): Promise<T> {
  return (await readInPieces(path, reader, shape)) ?? readWhole(path, reader, shape)
}

async function readInPieces<T>(path: string, reader: PetReader, shape: Shape<T>): Promise<T | undefined> {
  const pieces = new Pieces(reader)
  const seal = new Seal()
  try {
    for await (const block of blocksOf(path)) {
      if (!isUtf8(block)) return undefined
      seal.take(block)
      pieces.take(block.toString().replaceAll('\r\n', '\n'))
    }
    return exactly(pieces.frame, (value) => shape(value, pieces.petsOf, seal))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ValidationError || error instanceof RangeError)
      return undefined
    throw error
  }
}

async function readWhole<T>(path: string, reader: PetReader, shape: Shape<T>): Promise<T> {
  const bytes = await fs.promises.readFile(path)
  if (!isUtf8(bytes)) throw unreadable(path, badLineOf(bytes), 'this is not UTF-8')
  const text = bytes.toString().replace(/^\uFEFF/, ' ')
  const seal = new Seal()
  seal.take(bytes)
  try {
    return exactly(text, (value) => shape(value, reader.petsOf, seal))
  } catch (error) {
    if (error instanceof ValidationError) throw unreadable(path, lineAt(text, error.path), error.message)
    const position = /at position (\d+)/.exec(reasonOf(error))?.[1]
    const line = position === undefined ? undefined : lineOf(text, Number(position))
    throw unreadable(path, line, reasonOf(error))
  }
}
