import fs from 'node:fs'
import { readJson } from '../../fixtures/json.ts'
import { type ParsedText, ParseError } from '../../fixtures/parsed-text.ts'
import { withoutMark } from '../../text/utf8.ts'
import type { Slices } from '../../time/slices.ts'
import { notText } from '../files/not-text.ts'
import { reasonOf, unreadable } from './data-file-error.ts'
import { checkRegular } from './replace-file.ts'
import { ValidationError } from './validation.ts'

/** Given the bytes of a file, returns the function that validates its value, which throws a ValidationError. */
type Validator<T> = (bytes: Buffer) => (value: unknown) => T

/**
 * The content of a JSON file, which may have a million pets; each step takes a turn of its own. Rejects with a
 * DataFileError that names the line.
 */
export async function readJsonFile<T>(path: string, validator: Validator<T>, slices: Slices): Promise<T> {
  checkRegular(path)
  let bytes: Buffer | undefined = await fs.promises.readFile(path)
  const problem = notText(bytes)
  if (problem) throw unreadable(path, problem.reason, problem.line)
  const validate = validator(bytes)
  const text = withoutMark(bytes.toString())
  // So that it takes no memory while the text is parsed.
  bytes = undefined
  let parsed: ParsedText | undefined
  try {
    await slices.turn()
    parsed = await readJson(text, () => slices.turn())
    await slices.turn()
    return validate(parsed.value)
  } catch (error) {
    if (error instanceof ParseError) throw unreadable(path, error.message, error.problems[0]?.line)
    const { path: place, fix } = error instanceof ValidationError ? error : {}
    const [line] = (place && (await parsed?.linesOf([place]))) ?? []
    throw unreadable(path, reasonOf(error), line, place?.includes('pets'), fix)
  }
}
