import { JSONPathError, query } from 'json-p3'
import { inMiB } from '../../text/in-thousands.ts'
import { shorten } from '../../text/shorten.ts'
import { checkDocument, withoutNullable } from './check-document.ts'
import { compileValidators } from './compile-validators.ts'
import { Contract, PET_CHANGES } from './contract.ts'
import { InvalidDocument, type OpenApiDocument, OverlayError, operationsOf } from './document.ts'
import { isObject } from './json.ts'
import { isLinearPattern } from './linear-pattern.ts'
import { checkPlaces, type OverlayAction, readActions } from './overlay-actions.ts'

/** An OpenAPI Overlay file (1.0 to 1.2): its name, for messages, and its text. */
export interface Overlay {
  readonly name: string
  readonly text: string
  /** The overlay may come from anywhere: patterns that could take very long are refused. */
  readonly isForeign?: true
}

/** The last result. A test suite starts many sandboxes with the same overlays. */
let last: { of: OpenApiDocument; texts: string; contract: Contract; warnings: readonly string[] } | undefined

/**
 * The contract with overlays applied in their order. Throws an OverlayError if one is not an overlay, or if the sandbox
 * cannot serve the result. `warn`: called for each target that matches nothing.
 */
export function overlaidContract(
  contract: Contract,
  overlays: readonly Overlay[],
  warn: (warning: string) => void = () => {},
): Contract {
  const texts = JSON.stringify(overlays)
  if (last?.of !== contract.document || last.texts !== texts) {
    const warnings: string[] = []
    const result = applied(contract, overlays, (warning) => warnings.push(warning))
    last = { of: contract.document, texts, contract: result, warnings }
  }
  last.warnings.forEach(warn)
  return last.contract
}

function applied(
  contract: Contract,
  overlays: readonly Overlay[],
  warn: (warning: string) => void,
): Contract {
  let document = structuredClone(contract.document)
  const all: OverlayAction[] = []
  for (const { name, text, isForeign } of overlays) {
    const noMatch = (target: string) =>
      warn(`The overlay ${name} changes nothing at ${target}: there is no such place. Correct its target.`)
    usable(name, () => {
      const actions = readActions(text)
      if (isForeign) actions.forEach(checkPlaces)
      document = actions.reduce((before, action) => applyAction(before, action, noMatch), document)
      if (!isObject(document.paths)) throw new InvalidDocument('it removes paths, which the interface has')
      checkDocument(document)
      checkOperations(contract.document, document)
      if (isForeign) checkPatterns(document)
      all.push(...actions)
    })
  }
  const names = overlays.map(({ name }) => name).join(', ')
  const served = withoutNullable(document)
  return usable(names, () => new Contract(served, compileValidators(served), joinedText(overlays, all)))
}

/** Runs `act`. Its InvalidDocument becomes an OverlayError that names the overlay. */
function usable<T>(name: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof InvalidDocument || error instanceof JSONPathError)) throw error
    const place = error instanceof JSONPathError ? `its place ${error.token.input} is not JSONPath: ` : ''
    throw new OverlayError(`The overlay ${name} cannot be used: ${place}${error.message}`)
  }
}

/** One overlay with the actions of all, for recordings. */
const joinedText = (overlays: readonly Overlay[], actions: readonly OverlayAction[]): string =>
  overlays.length === 1 && overlays[0] ? overlays[0].text : JSON.stringify({ overlay: '1.1.0', actions })

/** Throws if a regular expression of the document may take more than linear time. */
function checkPatterns(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const { pattern, patternProperties } = value as Tree
  const patterns = isObject(patternProperties) ? Object.keys(patternProperties) : []
  if (typeof pattern === 'string') patterns.push(pattern)
  for (const each of patterns) {
    if (isLinearPattern(each)) continue
    throw new InvalidDocument(
      `its pattern ${shorten(each, 200)} may take very long; begin it with ^, and let each character match at one place only`,
    )
  }
  for (const member of Object.values(value)) checkPatterns(member)
}

type Tree = Record<string | number, unknown>

function applyAction(
  document: OpenApiDocument,
  { target, copy, remove, ...given }: OverlayAction,
  noMatch: (target: string) => void,
): OpenApiDocument {
  // From the last match to the first: removing an array item moves the items after it.
  const places = [...query(target, document as never)].reverse()
  if (places.length === 0) noMatch(target)
  const update = copy === undefined ? given.update : copied(document, copy, places.length)
  for (const { location } of places) {
    const isWhole = location.length === 0
    if (isWhole && remove) throw new InvalidDocument('the whole document cannot be removed')
    if (isWhole && !isObject(update))
      throw new InvalidDocument('the whole document can only be updated with an object')
    const path = ['document', ...location]
    const last = path.pop() as string | number
    const parent = path.reduce<unknown>((node, step) => (node as Tree)[step], { document }) as Tree
    if (!remove) parent[last] = merged(parent[last], update)
    else if (Array.isArray(parent)) parent.splice(Number(last), 1)
    else delete parent[last]
  }
  return document
}

/** The value at the place that `copy` names, for `count` places. */
function copied(document: OpenApiDocument, copy: string, count: number): unknown {
  const [source, another] = query(copy, document as never)
  if (!source || another)
    throw new InvalidDocument(
      `its copy ${copy} must name one place, and it names ${another ? 'several' : 'none'}`,
    )
  const size = JSON.stringify(source.value).length
  if (JSON.stringify(document).length + size * count > MAX_LENGTH)
    throw new InvalidDocument(`its copy ${copy} makes the document longer than ${inMiB(MAX_LENGTH)}`)
  return copyOf(source.value)
}

/** Each copy can double the document. */
const MAX_LENGTH = 8 * 1024 * 1024

/** Objects are merged, values are appended to arrays, everything else is replaced (Overlay 1.2, section 4.4.4). */
function merged(value: unknown, update: unknown): unknown {
  if (Array.isArray(value)) return value.concat(copyOf(update))
  return isObject(value) && isObject(update) ? merge(value, update) : copyOf(update)
}

/** An own copy for each place and for each alias of YAML, because later actions change it. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf)
  return isObject(value) ? merge({}, value) : value
}

function merge(value: Tree, update: Tree): Tree {
  for (const [name, member] of Object.entries(update)) {
    if (name === '__proto__') throw new InvalidDocument('the name __proto__ cannot be used')
    value[name] = merged(Object.hasOwn(value, name) ? value[name] : undefined, member)
  }
  return value
}

/** Throws if an operation of the interface is missing, or if an operation has no unique id. */
function checkOperations(before: OpenApiDocument, after: OpenApiDocument): void {
  checkPaths(Object.keys(after.paths))
  const ids = new Set<string>()
  for (const { path, method, operation } of operationsOf(after)) {
    const id = operation.operationId
    if (!path.startsWith('/')) throw new InvalidDocument(`the path ${path} of ${id} must begin with /`)
    if (ids.has(id)) throw new InvalidDocument(`the operationId ${id} is used twice`)
    checkChange(method, path, operation['x-sandbox'])
    ids.add(id)
  }
  for (const { operation } of operationsOf(before)) {
    if (!ids.has(operation.operationId))
      throw new InvalidDocument(`it removes ${operation.operationId}, which the interface has`)
  }
}

const PARAMETER = /(?<=\/)\{[^{}/]+\}(?=\/|$)/g

/** Throws for a path that the router could not find. */
function checkPaths(paths: readonly string[]): void {
  const known = new Map<string, string>()
  for (const path of paths) {
    if (/[{}]/.test(path.replace(PARAMETER, '')))
      throw new InvalidDocument(
        `the path ${path} is not valid: a parameter in braces must be all of a segment, as in /pets/{petId}`,
      )
    const template = path.replace(PARAMETER, '{}')
    const other = known.get(template)
    if (other !== undefined)
      throw new InvalidDocument(`the path ${path} is the same as ${other}; add its operations to that one`)
    known.set(template, path)
  }
}

/** An operation that changes a pet needs the pet's id in its path. */
function checkChange(method: string, path: string, change: unknown): void {
  if (change === undefined) return
  const name = `${method} ${path}`
  const has = `${name} has x-sandbox: ${JSON.stringify(change)}`
  if (!PET_CHANGES.some((known) => known === change))
    throw new InvalidDocument(`${has}, which is not valid; use ${PET_CHANGES.join(', ')}`)
  if (!['PATCH', 'PUT', 'DELETE', 'POST'].includes(method) || path !== '/pets/{petId}')
    throw new InvalidDocument(
      `x-sandbox belongs to PATCH, PUT, DELETE or POST of /pets/{petId}, not to ${name}`,
    )
}
