import { isJsonType } from '../../world/traffic/message.ts'
import {
  bodyOf,
  inlined,
  METHODS,
  type OpenApiDocument,
  type OperationObject,
  operationsOf,
  type ParameterObject,
  parametersOf,
  type SchemaObject,
  schemaOf,
} from './document.ts'
import { objectSchema, storedPetSchema, takesOthers } from './pet-schema.ts'
import { type PetShape, petShapeOf } from './pet-shape.ts'
import { STORED_PET, type Validator, type Validators } from './validators.ts'

/** Types of JSON Schema, and `int64` if an integer has that format. */
export type Types = ReadonlySet<string>

export interface Parameter {
  readonly name: string
  readonly required: boolean
  readonly schema: SchemaObject
  /** The text between the items of a list; undefined if each item is a parameter of its own. */
  readonly separator: string | undefined
  /** The types that its text may stand for; undefined if it is a JSON text. */
  readonly types: Types | undefined
  /** The types of the items of a list; undefined if the value cannot be a list. */
  readonly itemTypes: Types | undefined
  readonly validate: Validator
  /** Whether a parameter that was sent belongs to it: by its name, or as a member of an object. */
  readonly has: (sent: string) => boolean
}

export const PET_CHANGES = ['update', 'replace', 'delete'] as const
export type PetChange = (typeof PET_CHANGES)[number]

export interface Operation {
  readonly id: string
  readonly path: string
  readonly method: string
  readonly deprecated: boolean
  readonly hasSunset: boolean
  /** Whether the operation needs no credentials (`security: []`). */
  readonly isOpen: boolean
  /** The effect on a pet, for an operation of an overlay (`x-sandbox`). */
  readonly change: PetChange | undefined
  readonly query: readonly Parameter[]
  /** The header fields that are parameters. */
  readonly headers: readonly Parameter[]
  readonly body: Body | undefined
  /** The declared responses: `200`, `4XX`, `default`. */
  readonly statuses: readonly string[]
}

/** The operation that the interface names without describing it (section 4.4). */
export const ORDERS = 'listOrders'

/**
 * Which of the declared responses is for a status: the exact one, its range (`4XX`), or `default`. If a success is declared,
 * `default` is for errors only: an undeclared 200 or 302 has a wrong status, not a wrong body.
 */
export function declaredFor(status: number, statuses: readonly string[]): string | undefined {
  const range = `${Math.floor(status / 100)}XX`
  const declared =
    statuses.find((each) => each === String(status)) ?? statuses.find((each) => each.toUpperCase() === range)
  const isForOthers = status >= 400 || !statuses.some((each) => each.startsWith('2'))
  return declared ?? (isForOthers ? statuses.find((each) => each === 'default') : undefined)
}

/** The body of a request; its schema is that of JSON. */
export interface Body {
  readonly required: boolean
  /** The schema of an object, without references. */
  readonly schema: SchemaObject
  /** The members that a client may send: those of the schema that are not read-only. */
  readonly fields: readonly string[]
  /** Whether the schema allows for other members on purpose, as with `additionalProperties`. */
  readonly takesOthers: boolean
  readonly takesJson: boolean
  /** The JSON type that is declared, such as `application/merge-patch+json`. */
  readonly mediaType: string
  readonly validate: Validator
}

/** One path of a contract with its operations. */
export interface Route {
  readonly path: string
  readonly operations: ReadonlyMap<string, Operation>
  /** The route without the operations that have a sunset, and without ORDERS; undefined if none is left. */
  readonly remaining: Route | undefined
  /** The value of `Allow` (RFC 9110, section 10.2.1). */
  readonly allow: string
}

/** The operation of a request, or why there is none. */
export interface Resolution {
  readonly route: Route | undefined
  readonly operation: Operation | undefined
  readonly params: Readonly<Record<string, string>>
  /** True if the path has an invalid percent-encoding. */
  readonly malformed: boolean
}

/** A contract as a router: from method and path to an operation. Paths match exactly; each segment is decoded once. */
export class Contract {
  readonly document: OpenApiDocument
  /** The overlay that was applied to it, as text. */
  readonly overlay: string | undefined
  readonly operations: ReadonlyMap<string, Operation>
  readonly #validators: Validators
  #petShape: PetShape | undefined
  readonly #fixed = new Map<string, Route>()
  readonly #templates: { readonly segments: readonly string[]; readonly route: Route }[] = []

  constructor(document: OpenApiDocument, validators: Validators, overlay?: string) {
    this.document = document
    this.overlay = overlay
    this.#validators = validators
    const operations = new Map<string, Operation>()
    for (const path of Object.keys(document.paths)) {
      const route = routeOf(document, path, validators)
      for (const operation of new Set(route.operations.values())) operations.set(operation.id, operation)
      if (path.includes('{')) this.#templates.push({ segments: path.split('/'), route })
      else this.#fixed.set(path, route)
    }
    this.operations = operations
  }

  /** The pets of this contract. */
  get petShape(): PetShape {
    const schema = this.#petShape ? undefined : storedPetSchema(this.document)
    if (schema) this.#petShape = petShapeOf(schema, this.#validators[STORED_PET] as Validator)
    if (!this.#petShape) throw new Error('This contract has no pets')
    return this.#petShape
  }

  /** The body of createPet. */
  get newPet(): Body {
    const body = this.operations.get('createPet')?.body
    if (!body) throw new Error('This contract has no pets')
    return body
  }

  /** `path`: relative to the base path, not decoded. */
  resolve(method: string, path: string): Resolution {
    const { segments, malformed } = decode(path)
    // A decoded slash is a part of its segment (RFC 3986, section 2.2).
    const isSplit = segments?.some((segment) => segment.includes('/'))
    const fixed = isSplit ? undefined : this.#fixed.get(segments ? segments.join('/') : path)
    if (fixed) return { route: fixed, operation: fixed.operations.get(method), params: NO_PARAMS, malformed }
    const parts = segments ?? path.split('/')
    for (const { segments: template, route } of this.#templates) {
      const params = match(template, parts)
      if (params) return { route, operation: route.operations.get(method), params, malformed }
    }
    return { route: undefined, operation: undefined, params: NO_PARAMS, malformed }
  }
}

const NO_PARAMS = {}

/** Splits a path into decoded segments. */
function decode(path: string): { segments: string[] | undefined; malformed: boolean } {
  if (!path.includes('%')) return { segments: undefined, malformed: false }
  let malformed = false
  const segments = path.split('/').map((segment) => {
    try {
      return decodeURIComponent(segment)
    } catch {
      malformed = true
      return segment
    }
  })
  return { segments, malformed }
}

function match(template: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (template.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (let i = 0; i < template.length; i++) {
    const [expected = '', part = ''] = [template[i], parts[i]]
    if (expected.startsWith('{')) {
      if (part === '') return undefined
      params[expected.slice(1, -1)] = part
    } else if (expected !== part) return undefined
  }
  return params
}

function routeOf(document: OpenApiDocument, path: string, validators: Validators): Route {
  const operations = new Map<string, Operation>()
  for (const method of METHODS) {
    const described = document.paths[path]?.[method]
    if (!described) continue
    const operation = operationOf(document, path, method.toUpperCase(), described, validators)
    operations.set(operation.method, operation)
    if (method === 'get') operations.set('HEAD', operation)
  }
  const remaining = new Map([...operations].filter(([, { hasSunset, id }]) => !hasSunset && id !== ORDERS))
  const route = routeWith(path, operations)
  if (remaining.size === operations.size) return route
  return { ...route, remaining: remaining.size > 0 ? routeWith(path, remaining) : undefined }
}

function routeWith(path: string, operations: ReadonlyMap<string, Operation>): Route {
  const allow = [...operations.keys(), 'OPTIONS'].join(', ')
  return {
    path,
    operations,
    allow,
    get remaining() {
      return this
    },
  }
}

/**
 * Whether an operation is deprecated with dates (interface, section 9). The decisions have dates for getPet only: an
 * operation that an overlay marks as deprecated has none, and stays.
 */
export const hasSunset = ({ operationId, deprecated }: OperationObject): boolean =>
  deprecated === true && operationId === 'getPet'

/** The text between the items of a list, by the style of the parameter; a comma for every other style. */
const SEPARATORS: Readonly<Record<string, string>> = { pipeDelimited: '|', spaceDelimited: ' ' }

function parameterOf(document: OpenApiDocument, described: ParameterObject, validate: Validator): Parameter {
  const { name, required = false, style = 'form', explode = style === 'form', content = {} } = described
  const schema = inlined(document, schemaOf(described) ?? {})
  const types = Object.keys(content).some(isJsonType) ? undefined : typesOf(schema)
  const { items = {} } = [...partsOf(schema)].find((part) => part.items) ?? {}
  // The members of an object are sent as parameters of their own; none has the name of the object.
  const isObject = types?.has('object') === true
  const isMember = (sent: string) =>
    style === 'deepObject'
      ? sent.startsWith(`${name}[`)
      : explode && (takesOthers(schema) || Object.hasOwn(objectSchema(schema).properties ?? {}, sent))
  return {
    name,
    required: required && !isObject,
    schema,
    separator: explode ? undefined : (SEPARATORS[style] ?? ','),
    types,
    itemTypes: types?.has('array') ? typesOf(items) : undefined,
    validate: isObject ? () => true : validate,
    has: (sent) => sent === name || (isObject && isMember(sent)),
  }
}

/** A schema with the schemas of its `allOf`, `anyOf` and `oneOf`. */
function* partsOf(schema: SchemaObject): Generator<SchemaObject> {
  yield schema
  for (const part of [schema.allOf, schema.anyOf, schema.oneOf].flat()) if (part) yield* partsOf(part)
}

/** The types that a schema allows; without a type, those of its values. */
function typesOf(schema: SchemaObject): Types {
  const types = new Set<string>()
  for (const { type, format, const: only, enum: values = [only] } of partsOf(schema)) {
    for (const each of type === undefined ? values.map((value) => typeof value) : [type].flat())
      types.add(each)
    if (format === 'int64') types.add(format)
  }
  return types
}

/** Header fields that other parts of an operation describe (OpenAPI 3.1, Parameter Object). */
const DESCRIBED_ELSEWHERE = /^(accept|authorization|content-type)$/i

function operationOf(
  document: OpenApiDocument,
  path: string,
  method: string,
  described: OperationObject,
  validators: Validators,
): Operation {
  const id = described.operationId
  const validatorOf = (name: string): Validator => validators[`${id} ${name}`] ?? (() => true)
  const parameters = parametersOf(document, path, described)
  const parametersIn = (place: string): Parameter[] =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map((parameter) => parameterOf(document, parameter, validatorOf(`${place} ${parameter.name}`)))
  const body = bodyOf(document, described)
  const declared = inlined(document, body?.schema ?? {})
  const schema = objectSchema(declared)
  return {
    id,
    path,
    method,
    deprecated: described.deprecated === true,
    hasSunset: hasSunset(described),
    isOpen: Array.isArray(described.security) && described.security.length === 0,
    change: PET_CHANGES.find((change) => change === described['x-sandbox']),
    query: parametersIn('query'),
    headers: parametersIn('header').filter(({ name }) => !DESCRIBED_ELSEWHERE.test(name)),
    body: body && {
      required: body.required,
      schema,
      fields: Object.entries(schema.properties ?? {}).flatMap(([name, { readOnly }]) =>
        readOnly === true ? [] : name,
      ),
      takesOthers: takesOthers(declared),
      takesJson: body.mediaTypes.some((type) => isJsonType(type) || type.includes('*')),
      mediaType: body.mediaType,
      validate: validatorOf('body'),
    },
    statuses: Object.keys(described.responses),
  }
}

/** The ids of the operations that a client should call, in the order of the contract: all but deprecated ones. */
export const operationIds = (document: OpenApiDocument): string[] =>
  [...operationsOf(document)]
    .filter(({ operation }) => operation.deprecated !== true)
    .map(({ operation }) => operation.operationId)
