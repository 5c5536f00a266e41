import { isJson } from '../text/json.ts'
import type { Field } from './document.ts'

/** The texts typed into a form, by the names of its fields; of a field of an object by its path, `effect.status`. */
export type Typed = Readonly<Record<string, string>>

/** A field that is typed as one text. */
export interface TypedField extends Field {
  readonly path: string
}

export const leavesOf = (fields: readonly Field[], within = ''): TypedField[] =>
  fields.flatMap((field) => {
    const path = within + field.name
    return field.fields ? leavesOf(field.fields, `${path}.`) : { ...field, path }
  })

/**
 * The JSON of what was typed: a text is a text, anything else goes in as it stands, so that no digit is lost. What is left
 * empty is left out, unless it is required. Whether it is right is for the sandbox to say.
 */
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
  const isValue =
    type === 'integer' || type === 'number' ? NUMBER.test(text) : type !== 'string' && isJson(text)
  return isValue ? text : JSON.stringify(text)
}
