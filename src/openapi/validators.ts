import type { ErrorObject } from 'ajv'

/** A compiled schema, as Ajv's standalone code has it. */
export interface Validator {
  (value: unknown): boolean
  errors?: ErrorObject[] | null
}

/** By the name that `requestSchemas` gives: `createPet body`, `listPets query limit`. */
export type Validators = Readonly<Record<string, Validator>>

/**
 * What is wrong with `value`, in words for people and in the order of the schema's fields; empty where nothing is.
 * `name` stands before the path of each: `limit must be …`, `effect.status must be …`.
 */
export function violations(validate: Validator, value: unknown, name = ''): string[] {
  if (validate(value)) return []
  const errors = (validate.errors ?? [])
    .slice(0, MOST_ERRORS)
    .filter(({ keyword, schemaPath }) => !COMPOSED.has(keyword) && !BRANCH.test(schemaPath))
  const fields = fieldOrder(errors)
  const ranked = errors.map((error) => ({
    rank: fields.indexOf(fieldOf(error)),
    text: sentence(error, name),
  }))
  const texts = ranked.sort((a, b) => a.rank - b.rank).map(({ text }) => text)
  return [...new Set(texts)]
}

/** So many are put into words: what is ranked costs the square of it. */
const MOST_ERRORS = 200

/** Keywords that only say that a part failed; the part's own error says what. */
const COMPOSED = new Set(['if', 'allOf', 'anyOf', 'not'])

/** Inside one of several alternatives; the alternative itself says what was wanted. */
const BRANCH = /\/oneOf\/\d+\//

function fieldOrder(errors: readonly ErrorObject[]): string[] {
  const root = errors.find((error) => error.instancePath === '' && isObject(error.parentSchema?.properties))
  const named = Object.keys((root?.parentSchema?.properties as object | undefined) ?? {})
  return named.length > 0 ? named : errors.map(fieldOf)
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

const fieldOf = (error: ErrorObject): string =>
  error.instancePath.split('/')[1] ??
  String(error.params.missingProperty ?? error.params.additionalProperty ?? '')

function sentence(error: ErrorObject, name: string): string {
  const { keyword, params, instancePath } = error
  const path = pathOf(instancePath, name)
  if (keyword === 'required') return `${memberOf(path, params.missingProperty)} is required`
  if (keyword === 'additionalProperties') {
    const known = Object.keys((error.parentSchema?.properties as object | undefined) ?? {})
    return `${memberOf(path, params.additionalProperty)} is not known here; known: ${known.join(', ')}`
  }
  return `${path || 'the body'} must ${expectation(error)}`
}

function pathOf(instancePath: string, name: string): string {
  const steps = instancePath.split('/').slice(1)
  const path = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('')
  return name ? name + path : path.replace(/^\./, '')
}

const memberOf = (path: string, member: unknown): string =>
  path ? `${path}.${String(member)}` : String(member)

function expectation({ keyword, params, message, schema, parentSchema = {} }: ErrorObject): string {
  const { type, enum: values, minimum, maximum, int64, description } = parentSchema as Record<string, unknown>
  if (Array.isArray(values)) return `be one of ${values.join(', ')}`
  if (int64) return 'be an integer (int64)'
  if (type === 'integer' || type === 'number') return `be ${numberIn(type, minimum, maximum)}`
  if (keyword === 'type') return `be ${noun(String(params.type))}`
  if (keyword === 'pattern' && typeof description === 'string') return `be ${lowerFirst(description)}`
  if (keyword === 'oneOf') return `have exactly one of ${alternatives(schema).join(', ')}`
  if (keyword === 'dependentRequired') return `have ${params.deps} beside ${params.property}`
  if (keyword === 'minProperties') return 'not be empty'
  return message?.replace(/^must /, '') ?? 'be valid'
}

/** What the branches of a `oneOf` require, each in a word. */
const alternatives = (branches: unknown): string[] =>
  (branches as { required?: string[] }[]).flatMap(({ required = [] }) => required)

function numberIn(type: string, minimum: unknown, maximum: unknown): string {
  if (minimum !== undefined && maximum !== undefined) return `${noun(type)} from ${minimum} to ${maximum}`
  if (minimum !== undefined) return `${noun(type)} of at least ${minimum}`
  return maximum === undefined ? noun(type) : `${noun(type)} of at most ${maximum}`
}

const noun = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '')
