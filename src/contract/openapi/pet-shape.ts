import type { Pet } from '../../world/pets/pet.ts'
import type { SchemaObject } from './document.ts'
import { exactInteger, stringifyJson } from './json.ts'
import { type SchemaError, schemaErrorsOf, type Validator } from './validators.ts'

type Members = Readonly<Record<string, unknown>>

/** The description of a pet, made from the contract. All code that reads or writes pets uses it. */
export type PetShape = ReturnType<typeof petShapeOf>

/** The limit of characters in all cached lists, and the characters that each list counts in addition to its own. */
const MAX_CHARACTERS = 4 * 1024 * 1024
const PER_TEXT = 1024

/** A function that writes lists as JSON. It caches the texts of the latest lists of all namespaces. */
function listWriter(write: (pet: object) => string) {
  const texts = new Map<readonly object[], string>()
  let characters = 0
  return (list: readonly object[]): string => {
    const known = texts.get(list)
    if (known !== undefined) return known
    const text = `[${list.map(write).join(',')}]`
    texts.set(list, text)
    characters += text.length + PER_TEXT
    for (const [oldest, { length }] of texts) {
      if (characters <= MAX_CHARACTERS) break
      texts.delete(oldest)
      characters -= length + PER_TEXT
    }
    return text
  }
}

/** `schema`: without references; `validate`: compiled from it. */
export function petShapeOf(schema: SchemaObject, validate: Validator) {
  const { properties = {}, required = [] } = schema
  const names: readonly string[] = Object.keys(properties)
  const kinds = new Map(names.map((name) => [name, kindOf(properties[name] ?? {})]))
  const integers = names.filter((name) => kinds.get(name) === 'int64')
  const others = names.filter((name) => kinds.get(name) === 'other')
  const write = writerOf(names)
  return {
    /** In the contract's order. */
    names,
    /** The required fields, without `id`, because a fixture may omit it. */
    required,
    schema,
    /** The values that `status` may have; undefined if it may be any text. */
    statuses: properties.status?.enum as readonly string[] | undefined,
    /** The errors of the declared fields; other fields are ignored. */
    errors: (value: unknown): SchemaError[] => [
      ...schemaErrorsOf(validate, value),
      ...others.filter((name) => isLost(Object(value)[name])).map((name) => ({ path: [name], reason: LOST })),
    ],
    /** The names of the members that are not declared. */
    unknown: (value: Members) => Object.keys(value).filter((name) => !kinds.has(name)),
    /** A fast test: true for a valid pet that has an id and only declared fields, each a string or an int64. */
    isPlain(value: unknown): value is Pet {
      if (typeof value !== 'object' || value === null || !validate(value)) return false
      for (const name in value) if ((kinds.get(name) ?? 'other') === 'other') return false
      return (value as Members).id !== undefined
    },
    /** A copy with the declared fields only, in the contract's order, each int64 normalised. */
    pick(value: Members) {
      const picked: Record<string, unknown> = {}
      for (const name of names) if (value[name] !== undefined) picked[name] = value[name]
      for (const name of integers) if (picked[name] !== undefined) picked[name] = normal(picked[name])
      return picked
    },
    /** JSON of the declared fields, in the contract's order. */
    write,
    writeList: listWriter(write),
    /** Undefined for a field that is not declared. */
    kindOf: (name: string): FieldKind | undefined => kinds.get(name),
  }
}

/** Whether a value has a number that a double cannot represent, such as 1e400 or 1e-400; it cannot be written as JSON. */
const isLost = (value: unknown): boolean =>
  typeof value === 'object'
    ? Object.values(value ?? {}).some(isLost)
    : typeof value === 'number' && !Number.isFinite(value)

const LOST = 'must contain only numbers that a double can represent'

/** A parser may round values of the kind `other`. */
export type FieldKind = 'text' | 'int64' | 'boolean' | 'other'

function kindOf({ type, format, enum: values }: SchemaObject): FieldKind {
  const isText =
    type === undefined && Array.isArray(values) && values.every((value) => typeof value === 'string')
  if (type === 'string' || isText) return 'text'
  if (type === 'integer' && format === 'int64') return 'int64'
  return type === 'boolean' ? 'boolean' : 'other'
}

/** An integer as `exactInteger` has it; -0 becomes 0. */
function normal(value: unknown): unknown {
  if (value === 0) return 0
  return typeof value === 'bigint' ? exactInteger(value) : value
}

function writerOf(names: readonly string[]): (pet: object) => string {
  const labels = names.map((name) => `${JSON.stringify(name)}:`)
  return (pet) => {
    let text = '{'
    for (let i = 0; i < names.length; i++) {
      const value = (pet as Members)[names[i] as string]
      if (value !== undefined) text += `${text === '{' ? '' : ','}${labels[i]}${valueText(value)}`
    }
    return `${text}}`
  }
}

const valueText = (value: unknown): string => {
  if (typeof value === 'string') return JSON.stringify(value)
  return typeof value === 'number' || typeof value === 'bigint' ? `${value}` : stringifyJson(value)
}

/** JSON of every member of a pet, declared or not. */
export function petText(pet: object): string {
  try {
    return JSON.stringify(pet)
  } catch {
    // `JSON.stringify` refuses a bigint.
    return stringifyJson(pet)
  }
}
