import { isJson } from '../text/json.ts'
import type { Field } from './document.ts'

/** The texts in the fields of a form, by path: `effect.status`. */
export type Typed = Readonly<Record<string, string>>

/** A field with one text input. */
export interface TypedField extends Field {
  readonly path: string
}

export const leavesOf = (fields: readonly Field[], within = ''): TypedField[] =>
  fields.flatMap((field) => {
    const path = within + field.name
    return field.fields ? leavesOf(field.fields, `${path}.`) : { ...field, path }
  })

/** The JSON of a form, without empty optional fields. Texts of other fields than strings go in with every digit. */
export function jsonOf(fields: readonly Field[], typed: Typed, within = ''): string {
  const members = fields.flatMap((field) => {
    const leaves = leavesOf([field], within)
    if (!field.isRequired && leaves.every(({ path }) => !typed[path])) return []
    const path = within + field.name
    const value = field.fields ? jsonOf(field.fields, typed, `${path}.`) : literalOf(field, typed[path] ?? '')
    return `${JSON.stringify(field.name)}:${value}`
  })
  return `{${members.join(',')}}`
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/

function literalOf({ type }: Field, text: string): string {
  if ([type].flat().includes('string')) return JSON.stringify(text)
  const isValue = type === 'integer' || type === 'number' ? NUMBER.test(text) : isJson(text)
  return isValue ? text : JSON.stringify(text)
}
