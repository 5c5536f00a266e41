import { UsageError } from '../config/usage-error.ts'
import { parseJson, stringifyJson } from '../contract/openapi/json.ts'
import { InvalidValue } from '../text/advised-error.ts'
import { errorMessage, unwritableReason } from '../text/error.ts'
import { inThousands } from '../text/in-thousands.ts'
import { printableJson } from '../text/printable.ts'
import { parseDuration } from '../time/duration.ts'

export const readInteger =
  (least: number, most = Number.MAX_SAFE_INTEGER, unit = '') =>
  (text: string): number => {
    if (/^-?\d+$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text)
    const use = `use an integer from ${inThousands(least)} to ${inThousands(most)}${unit && `, in ${unit}`}`
    throw new InvalidValue(`"${text}" is not a valid number`, use)
  }

/** A text that `parse` accepts, as it was typed. */
export const readAs =
  (parse: (text: string) => unknown) =>
  (text: string): string => {
    parse(text)
    return text
  }

export const readDuration = readAs(parseDuration)

/** A duration of 1ms or more. */
export const readTimeout = (most: string) =>
  readAs((text) => {
    const duration = parseDuration(text)
    if (duration < 1 || duration > parseDuration(most))
      throw new InvalidValue(`"${text}" is out of range`, `use 1ms or more, up to ${most}`)
  })

/** The id of a request or of a control call. */
export const readPoint = readAs((text) => {
  const use = 'use one such as req_000123 or ctl_000007; history lists them'
  if (!/^(req|ctl)_\d{6,16}$/.test(text))
    throw new InvalidValue(`"${text}" is not a point of the history`, use)
})

/** A JSON value. `use`: the advice. */
export const readJson =
  (use: string) =>
  (text: string): unknown => {
    try {
      return parseJson(text)
    } catch (error) {
      throw new InvalidValue(`this is not JSON: ${errorMessage(error)}`, use)
    }
  }

/** A value as JSON that is safe for a terminal, with a newline. */
export const jsonText = (value: object, indent?: number): string =>
  `${printableJson(stringifyJson(value, indent))}\n`

/** Runs `act`, which uses the file of an option. Its error of the file system becomes a UsageError. */
export function guarded(flag: string, file: string, act: () => void): void {
  try {
    act()
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${flag}: ${file} cannot be written: ${unwritableReason(error)}`, 'Use another file')
  }
}
