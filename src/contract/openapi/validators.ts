import { inThousands } from '../../text/in-thousands.ts'
import { plural } from '../../text/plural.ts'
import { shorten } from '../../text/shorten.ts'
import { nameInPointer, type SchemaObject } from './document.ts'
import { isObject, stringifyJson } from './json.ts'

/** The part of an Ajv error that is used here. With Ajv's own type, the types of the package cannot be bundled. */
interface ErrorObject {
  readonly keyword: string
  readonly instancePath: string
  readonly propertyName?: string
  readonly schemaPath: string
  readonly params: Record<string, unknown>
  readonly message?: string
  readonly schema?: unknown
  readonly data?: unknown
  readonly parentSchema?: Record<string, unknown>
}

/** A compiled schema, as in Ajv's standalone code. */
export interface Validator {
  (value: unknown): boolean
  errors?: ErrorObject[] | null
}

/** Validators by the names from `requestSchemas`: `createPet body`, `listPets query limit`. */
export type Validators = Readonly<Record<string, Validator>>

/** The name of the validator of a stored pet. */
export const STORED_PET = 'stored pet'

/** The path of a value in a JSON document: names of members and indices. */
export type JsonPath = readonly (string | number)[]

/** An error of a value: its path and the reason. */
export interface SchemaError {
  readonly path: JsonPath
  /** `is required`, `must be …` */
  readonly reason: string
  /** The invalid value, for the message; undefined if there is none to name. */
  readonly refused?: unknown
}

/** The errors of `value`, in the order of the schema's fields; empty if it is valid. */
export function schemaErrorsOf(validate: Validator, value: unknown): SchemaError[] {
  if (validate(value)) return []
  const found = (validate.errors ?? []).slice(0, MAX_ERRORS)
  const errors = shownErrors(found)
  const fields = fieldOrder(errors)
  const rank = (error: ErrorObject) => fields.indexOf(fieldOf(error))
  const all = errors.toSorted((a, b) => rank(a) - rank(b)).map((error) => schemaErrorOf(error, value, found))
  const byText = new Map(all.map((each) => [`${pathText(each.path)} ${each.reason}`, each]))
  if (byText.size > 0) return [...byText.values()]
  return [{ path: [], reason: 'must be valid' }]
}

/** The errors that say what is wrong: of a union, either its own or those of the alternative that is meant. */
function shownErrors(found: readonly ErrorObject[]): ErrorObject[] {
  const chosen = new Map(found.filter(isUnion).map((union) => [union, chosenBranch(union, found)]))
  const isShown = (error: ErrorObject) =>
    branchesOf(error).every((branch) =>
      [...chosen].some(([union, itsBranch]) => itsBranch === branch && isInside(error, union)),
    )
  /** Whether its schema has an error of one of these keywords about the same value. */
  const isBeside = ({ instancePath, parentSchema }: ErrorObject, keywords: readonly string[]) =>
    found.some(
      (other) =>
        keywords.includes(other.keyword) &&
        other.instancePath === instancePath &&
        other.parentSchema === parentSchema,
    )
  return found.filter(
    (error) =>
      !COMPOSED.has(error.keyword) &&
      chosen.get(error) === undefined &&
      isShown(error) &&
      // A union in a schema of another type has nothing to add, nor has the type of the allowed values.
      !(isUnion(error) && isBeside(error, ['type'])) &&
      !(error.keyword === 'type' && isBeside(error, ['enum', 'const'])),
  )
}

/**
 * The errors of Ajv that name the cause, with the values that a union or a constant allows. Errors beyond MAX_ERRORS are
 * unchanged, because a service may send a body with any number of them.
 */
export function readableErrors(all: readonly ErrorObject[]): readonly ErrorObject[] {
  const found = all.slice(0, MAX_ERRORS)
  const errors = shownErrors(found).map((error) =>
    isUnion(error) || error.keyword === 'const'
      ? { ...error, message: `must ${expectation(error, found)}` }
      : error,
  )
  return errors.length > 0 ? [...errors, ...all.slice(MAX_ERRORS)] : all
}

/** The errors as sentences. `name` precedes each path: `limit must be …`, `effect.status must be …`. */
export const violations = (validate: Validator, value: unknown, name = ''): string[] =>
  schemaErrorsOf(validate, value).map((each) => schemaErrorText(each, name))

export const schemaErrorText = ({ path, reason }: SchemaError, name = ''): string =>
  `${pathText(name ? [name, ...path] : path) || 'the body'} ${reason}`

/** The errors as sentences, each with the refused value: `effect.status must be …, not 999`. */
export const refusals = (validate: Validator, value: unknown): string[] =>
  schemaErrorsOf(validate, value).map(refusalText)

export const refusalText = (error: SchemaError): string => schemaErrorText(error) + refusedText(error)

/** `, not 999`; '' for an object, and for a number whose digits are lost. */
export function refusedText({ refused }: Pick<SchemaError, 'refused'>): string {
  const isRounded = typeof refused === 'number' && !(Math.abs(refused) <= Number.MAX_SAFE_INTEGER)
  const isShown = refused === null || (typeof refused !== 'object' && refused !== undefined && !isRounded)
  return isShown ? `, not ${shorten(stringifyJson(refused), 42)}` : ''
}

/** `must be one of a, b, not "c"` */
export const choiceText = (known: readonly string[], refused: unknown): string =>
  `must be one of ${known.join(', ')}${refusedText({ refused })}`

const PLAIN_NAME = /^[A-Za-z_$][\w$-]*$/

/** A path as text: `tags[0].name`; a name with other characters is in brackets, and a long one is cut. */
export const pathText = (path: JsonPath): string =>
  path
    .map((step) => shorten(PLAIN_NAME.test(String(step)) ? `.${step}` : `[${JSON.stringify(step)}]`))
    .join('')
    .replace(/^\./, '')

/** The limit of errors that become sentences: sorting them, and finding those of a union, takes quadratic time. */
const MAX_ERRORS = 200

/** Keywords that only say that a part failed. The error of that part gives the reason. */
const COMPOSED = new Set(['if', 'allOf', 'propertyNames'])

const isUnion = ({ keyword }: ErrorObject): boolean => keyword === 'oneOf' || keyword === 'anyOf'

const BRANCH = /\/(?:oneOf|anyOf)\/\d+(?=\/)/g

/** The alternatives that an error is inside of. The error of the union says what is expected, unless one is chosen. */
const branchesOf = ({ schemaPath }: ErrorObject): string[] =>
  Array.from(schemaPath.matchAll(BRANCH), ({ 0: branch, index }) =>
    schemaPath.slice(0, index + branch.length),
  )

/** Whether an error is about the value of another error, or a part of it. */
const isInside = (error: ErrorObject, { instancePath }: ErrorObject): boolean =>
  `${error.instancePath}/`.startsWith(`${instancePath}/`)

/** The errors of each branch of a union, without those of unions in it. */
const byBranch = (union: ErrorObject, found: readonly ErrorObject[]): [string, ErrorObject[]][] =>
  (union.schema as readonly unknown[]).map((_, i) => {
    const branch = `${union.schemaPath}/${i}`
    return [branch, found.filter((error) => isInside(error, union) && branchesOf(error).at(-1) === branch)]
  })

/** The branch that an object or a list is meant for, if only one can be: its errors say more than those of all. */
function chosenBranch(union: ErrorObject, found: readonly ErrorObject[]): string | undefined {
  if (typeof union.data !== 'object' || union.data === null || union.params.passingSchemas) return undefined
  const isOther = ({ keyword, instancePath }: ErrorObject) =>
    instancePath === union.instancePath && KINDS.includes(keyword)
  const possible = byBranch(union, found).filter(([, own]) => !own.some(isOther))
  // A member with a fixed value, such as `kind`, tells objects apart.
  const isMark = ({ keyword }: ErrorObject) => keyword === 'const' || keyword === 'enum'
  const alike = possible.length > 1 ? possible.filter(([, own]) => !own.some(isMark)) : possible
  return alike.length === 1 ? alike[0]?.[0] : undefined
}

/** Keywords whose errors show that a value is meant for another branch. */
const KINDS = ['type', 'const', 'enum', 'int64']

function fieldOrder(errors: readonly ErrorObject[]): string[] {
  const root = errors.find((error) => error.instancePath === '' && isObject(error.parentSchema?.properties))
  const named = Object.keys(Object(root?.parentSchema?.properties))
  return named.length > 0 ? named : errors.map(fieldOf)
}

const fieldOf = (error: ErrorObject): string =>
  error.instancePath.split('/')[1] ??
  String(error.params.missingProperty ?? error.params.additionalProperty ?? '')

function schemaErrorOf(error: ErrorObject, value: unknown, found: readonly ErrorObject[]): SchemaError {
  const { keyword, params, instancePath } = error
  const path = stepsOf(instancePath, value)
  if (keyword === 'required') {
    const name = String(params.missingProperty)
    const { enum: values }: { enum?: unknown[] } = Object(Object(error.parentSchema?.properties)[name])
    const choices = values ? `: ${values.map(plainText).join(', ')}` : ''
    return { path: [...path, name], reason: `is required${choices}` }
  }
  if (keyword === 'additionalProperties') {
    const known = Object.keys(Object(error.parentSchema?.properties))
    const unknown = String(params.additionalProperty)
    // A union of a constant and an object.
    const [constant] = found
      .filter((each) => isUnion(each) && each.instancePath === instancePath)
      .flatMap(({ schema }) => (schema as SchemaObject[]).filter((branch) => branch.const !== undefined))
    const other = constant && `; ${pathText(path) || 'the body'} can also be ${stringifyJson(constant.const)}`
    const reason = `is not known here; known: ${known.join(', ') || 'none'}${other ?? ''}`
    return { path: [...path, unknown], reason }
  }
  const { propertyName } = error
  const reason = `must ${expectation(error, found)}`
  if (propertyName !== undefined) return { path: [...path, propertyName], reason: `(the name) ${reason}` }
  return { path, reason, refused: keyword === 'maxLength' ? undefined : error.data }
}

/** The steps of a JSON Pointer (RFC 6901). The value tells whether a number is an index or a name. */
function stepsOf(pointer: string, value: unknown): (string | number)[] {
  let inside = value
  return pointer
    .split('/')
    .slice(1)
    .map((text) => {
      const name = nameInPointer(text)
      const step = Array.isArray(inside) ? Number(name) : name
      inside = (inside as Record<string | number, unknown> | undefined)?.[step]
      return step
    })
}

function expectation(error: ErrorObject, found: readonly ErrorObject[]): string {
  const { keyword, params, message, schema, data, parentSchema = {} } = error
  const { type, enum: values, minimum, maximum, int64, description }: Record<string, unknown> = parentSchema
  if (isUnion(error)) return alternatives(error, found)
  const isForm = ['pattern', 'not'].includes(keyword) || (params.type === 'string' && parentSchema.pattern)
  if (isForm && typeof description === 'string')
    return `be ${description.charAt(0).toLowerCase()}${description.slice(1).replace(/\.$/, '')}`
  if (keyword === 'not') return `not ${formOf(schema as SchemaObject)}`
  if (keyword === 'required') return `have ${[schema].flat().join(' and ')}`
  if (Array.isArray(values))
    return `be ${values.length > 1 ? 'one of ' : ''}${values.map(plainText).join(', ')}`
  if (int64 && !OTHER_BOUNDS.includes(keyword)) {
    const others = Array.isArray(int64) ? int64.map((type) => ` or ${noun(type)}`) : []
    return `be ${numberIn('integer (int64)', minimum, maximum)}${others.join('')}`
  }
  const isNumber = type === 'integer' || type === 'number'
  if (keyword === 'minimum' || keyword === 'maximum' || (keyword === 'type' && isNumber)) {
    // Such a number is beyond 2^53, which only an int64 may be.
    const most = typeof data === 'bigint' ? Number.MAX_SAFE_INTEGER : undefined
    return `be ${numberIn(isNumber ? type : 'number', minimum ?? (most && -most), maximum ?? most)}`
  }
  if (keyword === 'type') return `be ${[params.type].flat().map(noun).join(' or ')}`
  if (keyword === 'format')
    return `be a valid ${params.format}${FORMAT_EXAMPLES[String(params.format)] ?? ''}`
  if (keyword === 'dependentRequired') return `have ${params.deps} together with ${params.property}`
  const size = SIZES[keyword]
  if (size?.[0] === 'least' && params.limit === 1) {
    const known = keyword === 'minProperties' ? Object.keys(Object(parentSchema.properties)) : []
    return known.length > 0 ? `have at least one of ${known.join(', ')}` : 'not be empty'
  }
  if (size) return `have at ${size[0]} ${plural(Number(params.limit), size[1])}`
  if (keyword === 'false schema') return 'not be present'
  if (keyword === 'const') return `be ${stringifyJson(params.allowedValue)}`
  if (keyword === 'multipleOf') return `be a multiple of ${params.multipleOf}`
  if (keyword === 'uniqueItems') return 'have no duplicate items'
  return message?.replace(/^must /, '') ?? 'be valid'
}

/** A text as it is, any other value as JSON. */
const plainText = (value: unknown): string => (typeof value === 'string' ? value : stringifyJson(value))

/** The bounds of an integer that are not part of its range. */
const OTHER_BOUNDS = ['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'const']

const SIZES: Readonly<Record<string, readonly ['least' | 'most', string]>> = {
  minLength: ['least', 'character'],
  maxLength: ['most', 'character'],
  minItems: ['least', 'item'],
  maxItems: ['most', 'item'],
  minProperties: ['least', 'member'],
  maxProperties: ['most', 'member'],
}

const FORMAT_EXAMPLES: Readonly<Record<string, string>> = {
  date: ', such as 2026-11-19',
  time: ', such as 12:34:56Z',
  'date-time': ', such as 2026-11-19T12:34:56Z',
  duration: ', such as PT61S',
}

function alternatives(union: ErrorObject, found: readonly ErrorObject[]): string {
  const { keyword, params, data } = union
  const schemas = union.schema as readonly SchemaObject[]
  const members = schemas.flatMap(({ required = [], not: _, ...others }) =>
    required.length === 1 && Object.keys(others).length === 0 ? required : [],
  )
  if (members.length === schemas.length)
    return `have ${keyword === 'oneOf' ? 'exactly' : 'at least'} one of ${members.join(', ')}`
  if (params.passingSchemas || (typeof data === 'object' && data !== null))
    return `match ${params.passingSchemas ? 'only ' : ''}one of ${schemas.map(shownSchema).join(', ')}`
  const forms = byBranch(union, found).map(([, own]) => {
    const said = own.filter((each) => !COMPOSED.has(each.keyword)).map((each) => expectation(each, found))
    return [...new Set(said)].join(' and ')
  })
  const [first = '', ...others] = new Set(forms)
  const rest = others.map((form) => form.replace(first.startsWith('be ') ? /^be / : '', ''))
  return [first, ...rest].join(forms.some((form) => form.includes(',')) ? ', or ' : ' or ')
}

const shownSchema = (schema: SchemaObject): string => shorten(stringifyJson(schema), 150)

/** The values that match a schema, as the words after "must"; a schema that is not simple is quoted. */
function formOf(schema: SchemaObject): string {
  const { type, ...others } = schema
  const [[keyword, value] = ['type', type], ...more] = Object.entries(others)
  if (more.length > 0 || value === undefined || !['type', 'const', 'enum', 'required'].includes(keyword))
    return `match ${shownSchema(schema)}`
  const params = { type: value, allowedValue: value }
  const none = { instancePath: '', schemaPath: '' }
  return expectation({ ...none, keyword, params, schema: value, parentSchema: schema }, [])
}

function numberIn(type: string, minimum: unknown, maximum: unknown): string {
  const [least, most] = [minimum, maximum].map((bound) => bound !== undefined && boundText(bound))
  if (least && most) return `${noun(type)} from ${least} to ${most}`
  if (least) return `${noun(type)} of at least ${least}`
  return most ? `${noun(type)} of at most ${most}` : noun(type)
}

const boundText = (bound: unknown): string =>
  typeof bound === 'number' && Number.isInteger(bound) ? inThousands(bound) : String(bound)

const noun = (type: unknown): string =>
  type === 'null' ? type : `${/^[aeiou]/.test(String(type)) ? 'an' : 'a'} ${type}`
