import type { ParameterObject, SchemaObject } from '../contract/openapi/document.ts'
import { type OpenApiDocument, resolveRef } from '../contract/openapi/document.ts'

/** The schemas of tools, taken from a control document. */
export class ToolSchemas {
  readonly #document: OpenApiDocument

  constructor(document: OpenApiDocument) {
    this.#document = document
  }

  /** A complete schema of the document. */
  named(name: string): SchemaObject {
    return this.#inlined({ $ref: `#/components/schemas/${name}` }) as SchemaObject
  }

  /** The members of an object of the document. */
  members(name: string): Readonly<Record<string, SchemaObject>> {
    return this.named(name).properties as Record<string, SchemaObject>
  }

  /** The query parameters of an operation. */
  parameters(path: string, method: string): Readonly<Record<string, SchemaObject>> {
    const parameters = (this.#document.paths[path]?.[method]?.parameters ?? []).map((each) =>
      resolveRef<ParameterObject & { description?: string }>(this.#document, each as ParameterObject),
    )
    return Object.fromEntries(
      parameters.map(({ name, description, schema }) => [
        name,
        { ...(this.#inlined(schema ?? {}) as SchemaObject), ...(description && { description }) },
      ]),
    )
  }

  /** A schema without references, which clients may not resolve, and without the extensions of this project. */
  #inlined(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#inlined(item))
    if (typeof value !== 'object' || value === null) return value
    if ('$ref' in value) {
      const { $ref, ...beside } = value as { $ref: string }
      return { ...(this.#inlined(resolveRef(this.#document, { $ref })) as object), ...beside }
    }
    const kept = Object.entries(value).filter(
      ([name, member]) => !name.startsWith('x-') && !(name === 'format' && /^u?int64$/.test(String(member))),
    )
    return Object.fromEntries(kept.map(([name, member]) => [name, this.#inlined(member)]))
  }
}
