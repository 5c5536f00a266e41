import type { Pet } from '../domain/pets/pet.ts'
import { type OpenApiDocument, resolveRef, type SchemaObject } from './document.ts'
import { stringifyJson } from './json.ts'

declare const VALUE: unique symbol

/** A value as JSON; only its type knows of which. */
export type JsonOf<Value> = string & { readonly [VALUE]: Value }

/** Writes an object of a schema whose fields are strings and integers: the schema's fields, in its order. */
function objectWriter(document: OpenApiDocument, schemaName: string): (value: object) => string {
  const schema = document.components?.schemas?.[schemaName] as SchemaObject
  const names = Object.keys(resolveRef(document, schema).properties as object)
  const fields = names.map((name) => ({ name, label: `${JSON.stringify(name)}:` }))
  return (value) => {
    let text = ''
    for (const { name, label } of fields) {
      const field = (value as Record<string, unknown>)[name]
      if (field !== undefined) text += `${text && ','}${label}${write(field)}`
    }
    return `{${text}}`
  }
}

const write = (field: unknown): string =>
  typeof field === 'string' ? JSON.stringify(field) : stringifyJson(field)

/** Writes one pet, and a list of pets; the text of a list is kept for as long as the list itself. */
export function petWriters(document: OpenApiDocument) {
  const writePet = objectWriter(document, 'Pet') as (pet: Pet) => JsonOf<Pet>
  const texts = new WeakMap<readonly Pet[], JsonOf<readonly Pet[]>>()
  const writePets = (pets: readonly Pet[]): JsonOf<readonly Pet[]> => {
    const known = texts.get(pets)
    if (known !== undefined) return known
    const text = `[${pets.map(writePet).join(',')}]` as JsonOf<readonly Pet[]>
    texts.set(pets, text)
    return text
  }
  return { writePet, writePets }
}
