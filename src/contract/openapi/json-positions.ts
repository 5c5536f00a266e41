import { mayRepeatName } from './json.ts'
import type { JsonPath } from './validators.ts'

/**
 * Calls `see` with the path and the position of each value of a valid JSON text, and before that with those of its
 * name. `path` is reused: copy it to keep it. Reads the text once.
 */
export async function eachValue(
  text: string,
  see: (path: JsonPath, position: number) => void,
): Promise<void> {
  const { visit } = await import('jsonc-parser')
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
    // The text is nested too deeply for the visitor. All values up to there were visited.
    if (!(error instanceof RangeError)) throw error
  }
}

/** The line of a valid JSON text on which the value at `path` begins; if it is missing, the innermost value that exists. */
export async function lineAt(text: string, path: JsonPath): Promise<number> {
  let [found, depth] = [0, 0]
  await eachValue(text, (here, position) => {
    if (here.length <= depth || here.length > path.length) return
    if (here.every((step, index) => step === path[index])) [found, depth] = [position, here.length]
  })
  return lineOf(text, found)
}

/**
 * The first name of a valid JSON text that occurs twice in one object, with its second position, or undefined. `value`:
 * the parsed text.
 */
export async function repeatedName(text: string, value: unknown) {
  if (!mayRepeatName(text, value)) return undefined
  const { visit } = await import('jsonc-parser')
  const objects: Set<string>[] = []
  let repeated: { readonly name: string; readonly position: number } | undefined
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

/** The line of a position, counted from 1. */
export function lineOf(text: string, position: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) line++
  return line
}
