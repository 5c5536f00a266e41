import { visit } from 'jsonc-parser'

export type JsonPath = readonly (string | number)[]

/**
 * Calls `see` with the path and position of each value of a valid JSON text, and before that of its name where it has
 * one. `path` changes afterwards: copy what is kept. One pass, whatever the size of the text.
 */
export function eachValue(text: string, see: (path: JsonPath, position: number) => void): void {
  const path: (string | number)[] = []
  const begin = (step: string | number) => (position: number) => {
    see(path, position)
    path.push(step)
  }
  const end = () => void path.pop()
  try {
    visit(text, {
      onObjectBegin: begin(''),
      onObjectProperty: (name, position) => {
        path[path.length - 1] = name
        see(path, position)
      },
      onObjectEnd: end,
      onArrayBegin: begin(0),
      onArrayEnd: end,
      onSeparator: (character) => {
        const last = path.at(-1)
        if (character === ',' && typeof last === 'number') path[path.length - 1] = last + 1
      },
      onLiteralValue: (_, position) => see(path, position),
    })
  } catch (error) {
    // The text is nested more deeply than the visitor's recursion goes. The values before that have been seen.
    if (!(error instanceof RangeError)) throw error
  }
}

/** The line of a valid JSON text on which the value at `path` begins, or as much of the path as there is. */
export function lineAt(text: string, path: JsonPath): number {
  let [found, depth] = [0, 0]
  eachValue(text, (here, position) => {
    if (here.length <= depth || here.length > path.length) return
    if (here.every((step, index) => step === path[index])) [found, depth] = [position, here.length]
  })
  return lineOf(text, found)
}

/**
 * The first name that occurs twice in one object of a valid JSON text, and its second position; otherwise undefined.
 * `value`: the parsed text. If it has as many members as the text has names, none occurs twice, which is fast to see.
 */
export function repeatedName(
  text: string,
  value: unknown,
): { readonly name: string; readonly position: number } | undefined {
  if (namesIn(text) === membersIn(value)) return undefined
  const objects: Set<string>[] = []
  let repeated: { name: string; position: number } | undefined
  visit(text, {
    onObjectBegin: () => void objects.push(new Set()),
    onObjectProperty: (name, position) => {
      const names = objects.at(-1)
      if (names?.has(name)) repeated ??= { name, position }
      names?.add(name)
    },
    onObjectEnd: () => void objects.pop(),
  })
  return repeated
}

/** An upper bound of the number of names: a string may look like the end of a name. */
function namesIn(text: string): number {
  const end = /"\s*:/g
  let count = 0
  while (end.test(text)) count++
  return count
}

function membersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) for (const item of value) count += membersIn(item)
  else {
    for (const name in value) {
      const member = (value as Record<string, unknown>)[name]
      count += typeof member === 'object' ? 1 + membersIn(member) : 1
    }
  }
  return count
}

/** The line, counted from 1, in which a position of a text lies. */
export function lineOf(text: string, position: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) line++
  return line
}
