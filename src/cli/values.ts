import { invalid, UsageError } from '../config/usage-error.ts'
import { parseJson } from '../contract/openapi/json.ts'
import { errorMessage } from '../text/error.ts'
import { unwritableReason } from '../text/file-reason.ts'
import { inThousands } from '../text/in-thousands.ts'

/** Reads a numeric option. Throws a UsageError. */
export function readInteger(option: string, text: string, most: number, unit = '', least = 0): number {
  if (/^-?\d+$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text)
  const use = `use an integer from ${inThousands(least)} to ${inThousands(most)}${unit && `, in ${unit}`}`
  throw invalid(option, text, 'a valid number', use)
}

/** Reads an option that is JSON. `use`: the advice of the UsageError. */
export function jsonValue(flag: string, text: string, use: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw new UsageError(`${flag}: this is not JSON: ${errorMessage(error)}`, use)
  }
}

/** Runs `act`, which uses the file of an option. Its error of the file system becomes a UsageError. */
export function guarded(flag: string, file: string, act: () => void): void {
  try {
    act()
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${flag}: ${file} cannot be written: ${unwritableReason(error)}`, 'Use another file')
  }
}
