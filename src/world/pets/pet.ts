/** A 64-bit signed integer (interface, section 2): a number while it is safe, a bigint beyond 2^53. */
export type Int64 = number | bigint

/** The availability of an animal (interface, section 3). */
export const PET_STATUSES = ['available', 'pending', 'sold'] as const

/** The declared fields of a pet without its id. Only `status` affects the behaviour of the sandbox. */
export interface NewPet {
  readonly status?: string
  readonly [field: string]: unknown
}

export interface Pet extends NewPet {
  readonly id: Int64
}

export const INT64_MAX = 2n ** 63n - 1n
export const INT64_MIN = -(2n ** 63n)

/** The next integer: a bigint where a number would lose digits. */
export const following = (id: Int64): Int64 =>
  typeof id === 'number' && id < Number.MAX_SAFE_INTEGER ? id + 1 : BigInt(id) + 1n

/** An int64 as a number if it is safe, otherwise as a bigint; undefined if the value is not an int64. */
export function int64Of(value: unknown): Int64 | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value + 0 : undefined // -0 is 0
  if (typeof value !== 'bigint' || value < INT64_MIN || value > INT64_MAX) return undefined
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** The id of the next pet, one more than the largest int64 if no id is left; undefined if the value is neither. */
export const nextIdOf = (value: unknown): Int64 | undefined =>
  value === INT64_MAX + 1n ? value : int64Of(value)
