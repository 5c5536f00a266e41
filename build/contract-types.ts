import openapiTypescript, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import type { OpenApiDocument } from '../src/contract/openapi/document.ts'

/** The types of a contract as TypeScript source. Each schema is also exported under its own name. */
export async function contractTypes(document: OpenApiDocument): Promise<string> {
  const nodes = await openapiTypescript(withUnions(document) as never, {
    immutable: true,
    rootTypes: true,
    emptyObjectsUnknown: true,
    rootTypesNoSchemaPrefix: true,
    defaultNonNullable: false,
    transform: (schema) => typeOf(schema),
  })
  return astToString(nodes)
}

interface Typed {
  readonly type?: string | string[]
  readonly format?: string
  readonly pattern?: string
}

/** Types that are more exact than those of openapi-typescript: 64-bit integers, and strings with a fixed part. */
function typeOf({ type = [], format, pattern }: Typed): ts.TypeNode | undefined {
  const { createKeywordTypeNode, createUnionTypeNode } = ts.factory
  if (format === 'int64' || format === 'uint64') {
    return createUnionTypeNode([
      createKeywordTypeNode(ts.SyntaxKind.NumberKeyword),
      createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword),
    ])
  }
  const start = /^\^([a-z]+:)\.\+\$$/.exec(pattern ?? '')?.[1]
  if (start !== undefined) return template(start, ts.SyntaxKind.StringKeyword, '')
  const end = /^\^\[\d-\d\]([a-z]+)\$$/.exec(pattern ?? '')?.[1]
  if (end === undefined) return undefined
  const text = template('', ts.SyntaxKind.NumberKeyword, end)
  return [type].flat().includes('integer')
    ? createUnionTypeNode([createKeywordTypeNode(ts.SyntaxKind.NumberKeyword), text])
    : text
}

/** `${start}${part}${end}` */
function template(start: string, part: ts.KeywordTypeSyntaxKind, end: string): ts.TypeNode {
  const { createTemplateHead, createTemplateTail, createTemplateLiteralTypeSpan } = ts.factory
  const span = createTemplateLiteralTypeSpan(ts.factory.createKeywordTypeNode(part), createTemplateTail(end))
  return ts.factory.createTemplateLiteralType(createTemplateHead(start), [span])
}

/** The document with a union type for each schema that requires exactly one of some properties. */
function withUnions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnions)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withUnions(each)]))
  return isChoice(members) ? unionOf(members) : members
}

interface RequiresOne {
  readonly required: readonly [string]
}

/** An object schema that requires exactly one of some of its properties. */
interface Choice {
  readonly description?: string
  readonly properties: Readonly<Record<string, unknown>>
  /** `not`: the others beside which it may stand. */
  readonly oneOf: readonly (RequiresOne & { readonly not?: { readonly anyOf: readonly RequiresOne[] } })[]
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>
}

const isChoice = ({ properties, oneOf }: Partial<Choice>): boolean =>
  properties !== undefined && Array.isArray(oneOf) && oneOf.every(({ required }) => required?.length === 1)

function unionOf(choice: Record<string, unknown>): object {
  const { description, properties, oneOf, dependentRequired = {} } = choice as unknown as Choice
  const chosen = oneOf.map(({ required: [name] }) => name)
  const standsBeside = (property: string) =>
    oneOf[chosen.indexOf(property)]?.not?.anyOf.map(({ required: [name] }) => name) ?? []
  const belongsTo = (property: string, name: string): boolean =>
    chosen.includes(property)
      ? property === name || standsBeside(property).includes(name)
      : (dependentRequired[property] ?? []).every((owner) => owner === name)
  const alternatives = chosen.map((name) => ({
    type: 'object',
    required: [name],
    properties: Object.fromEntries(Object.entries(properties).filter(([each]) => belongsTo(each, name))),
  }))
  return { ...(description && { description }), oneOf: alternatives }
}
