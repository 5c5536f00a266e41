import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../contract/openapi/json.ts'
import type { JsonPath } from '../../contract/openapi/validators.ts'
import type { Int64 } from '../../world/pets/pet.ts'

/** The values in JSON that are neither objects nor arrays. */
export function leavesOf(value: unknown, path: JsonPath = []): { path: JsonPath; value: unknown }[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => leavesOf(item, [...path, i]))
  if (!isObject(value)) return [{ path, value }]
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]))
}

export const valueAt = (value: unknown, path: JsonPath): unknown =>
  path.reduce<unknown>((part, step) => (part as Record<string | number, unknown> | undefined)?.[step], value)

/** A copy with another value at this path. Undefined removes the member. */
export function withValue<T>(value: T, [step, ...rest]: JsonPath, replacement: unknown): T {
  if (step === undefined) return replacement as T
  const changed = withValue(valueAt(value, [step]), rest, replacement)
  if (Array.isArray(value)) return value.with(Number(step), changed) as T
  const { [step]: _, ...others }: Record<string | number, unknown> = Object(value)
  return changed === undefined ? (others as T) : { ...value, [step]: changed }
}

/** The paths at which `received` lacks a value of `expected` or has another one; further members are allowed. */
export function differences(received: unknown, expected: unknown, path: JsonPath = []): JsonPath[] {
  if (!isObject(expected) || !isObject(received)) return isDeepStrictEqual(received, expected) ? [] : [path]
  return Object.entries(expected).flatMap(([name, value]) =>
    differences(received[name], value, [...path, name]),
  )
}

/** A random id that almost certainly belongs to no pet. */
export const UNKNOWN_ID: Int64 = 7310245918034625917n
