import type { SchemaObject } from '../contract/openapi/document.ts'
import { inThousands } from '../text/in-thousands.ts'

/*
 * Ajv compares doubles, and no double lies between 2^63 - 1024 and 2^63. So int64 is validated by bounds that are
 * doubles, and an integer that no double represents by one that lies on the same side of them.
 */
const LOWEST = -(2 ** 63)
const HIGHEST = 2 ** 63 - 1024
const BELOW = LOWEST - 2048

/** A schema of int64 with the bounds of int64 in place of the format. */
export function boundInt64(schema: SchemaObject): SchemaObject {
  if (schema.format !== 'int64') return schema
  const { format: _format, minimum = LOWEST, maximum = HIGHEST, ...rest } = schema
  return { ...rest, minimum: Math.max(Number(minimum), LOWEST), maximum: Math.min(Number(maximum), HIGHEST) }
}

/** A copy of a value in which numbers replace bigints. */
export function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return standIn(value)
  if (Array.isArray(value)) return value.map(withoutBigints)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutBigints(member)]))
}

/** The double that is validated instead of an integer. */
export function standIn(integer: bigint): number {
  const number = Number(integer)
  if (BigInt.asIntN(64, integer) === integer) return Math.min(number, HIGHEST)
  return integer > 0n
    ? Math.min(number, Number.MAX_VALUE)
    : Math.max(Math.min(number, BELOW), -Number.MAX_VALUE)
}

/** Replaces the bounds of int64 in a message by the name of the type. */
export const nameInt64 = (message: string): string =>
  message
    .replace(`must be <= ${HIGHEST}`, 'must be within int64 (at most 9,223,372,036,854,775,807)')
    .replace(`must be >= ${LOWEST}`, 'must be within int64 (at least -9,223,372,036,854,775,808)')
    .replaceAll(`integer from ${inThousands(LOWEST)} to ${inThousands(HIGHEST)}`, 'integer (int64)')
    .replaceAll(`"minimum":${LOWEST},"maximum":${HIGHEST}`, '"format":"int64"')
