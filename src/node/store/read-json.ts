import { isUtf8 } from 'node:buffer'
import fs from 'node:fs'
import { parseDigits } from '../../contract/openapi/json.ts'
import { lineAt, lineOf, repeatedName } from '../../contract/openapi/json-positions.ts'
import type { Slices } from '../../time/slices.ts'
import { DataFileError, reasonOf, unreadable } from './data-file-error.ts'
import { ValidationError } from './validation.ts'

/**
 * The content of a JSON file, which may have a million pets; each step takes a turn of its own. `validate` throws a
 * ValidationError. Rejects with a DataFileError that names the line.
 */
export async function readJsonFile<T>(
  path: string,
  validate: (value: unknown, bytes: Buffer) => T,
  slices: Slices,
): Promise<T> {
  const bytes = await fs.promises.readFile(path)
  if (!isUtf8(bytes)) throw unreadable(path, badLineOf(bytes), 'this is not UTF-8')
  const text = bytes.toString().replace(/^\uFEFF/, ' ')
  const nul = text.indexOf('\0')
  if (nul >= 0) throw unreadable(path, lineOf(text, nul), 'this holds a NUL character, so it is not text')
  try {
    await slices.turn()
    const value = parseDigits(text)
    await slices.turn()
    const found = validate(value, bytes)
    await slices.turn()
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
