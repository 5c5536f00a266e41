import { stringifyJson } from '../contract/openapi/json.ts'
import { printableJson } from '../text/printable.ts'

/** A value as JSON that is safe for a terminal, with a newline. */
export const jsonText = (value: object, indent?: number): string =>
  `${printableJson(stringifyJson(value, indent))}\n`
