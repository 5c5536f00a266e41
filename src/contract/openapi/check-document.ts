import { validators } from '../generated/document.validators.js'
import { InvalidDocument, inlined, MAX_INLINED, type OpenApiDocument, resolveRef } from './document.ts'
import { isObject } from './json.ts'
import { type Validator, violations } from './validators.ts'

/** Throws an InvalidDocument if a part that the sandbox reads has another type than OpenAPI says. */
export function checkDocument(document: OpenApiDocument): void {
  const budget = { left: MAX_INLINED }
  // Keywords beside a reference apply in schemas only.
  const read = (members: Members): Members => inlined(document, members, budget, resolveRef)
  const schemas: unknown = document.components?.schemas
  const shape = {
    ...document,
    paths: mapped(document.paths, ({ parameters, ...operations }) => ({
      ...read({ parameters }),
      ...(mapped(operations, ({ responses, ...each }) => ({ ...read(each), responses })) as Members),
    })),
    components: {
      ...document.components,
      schemas: isObject(schemas)
        ? { ...schemas, ...read({ Pet: schemas.Pet, NewPet: schemas.NewPet }) }
        : schemas,
    },
  }
  const [text] = violations(validators.document as Validator, shape)
  if (text !== undefined) throw new InvalidDocument(text)
  checkReferences(document, document)
}

/** The values of these members are data, not schemas. */
const DATA = ['example', 'examples', 'default', 'const', 'enum', 'value']

/** Throws for a reference without a target in the document: those of a response would be noticed at a request only. */
function checkReferences(document: OpenApiDocument, value: unknown): void {
  if (Array.isArray(value)) for (const item of value) checkReferences(document, item)
  if (!isObject(value)) return
  if (typeof value.$ref === 'string') resolveRef(document, value)
  for (const [name, member] of Object.entries(value))
    if (!DATA.includes(name)) checkReferences(document, member)
}

type Members = Record<string, unknown>

/** A copy of an object with its inner objects replaced. Any other value is unchanged. */
const mapped = (value: unknown, replace: (members: Members) => Members): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, each]) => [name, isObject(each) ? replace(each) : each]),
      )
    : value
