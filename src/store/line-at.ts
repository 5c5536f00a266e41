import type { Path } from './shape.ts'

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]|[^\s"{}[\],:]+/g

/** The line of a JSON text on which the value at `path` stands, or as much of the path as there is. */
export function lineAt(text: string, path: Path): number {
  const here: (string | number)[] = []
  let [found, depth, naming] = [0, 0, false]
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === '}' || token === ']') {
      here.pop()
      continue
    }
    if (token === ',') {
      const last = here.at(-1)
      if (typeof last === 'number') here[here.length - 1] = last + 1
      naming = typeof last === 'string'
      continue
    }
    if (naming) {
      here[here.length - 1] = JSON.parse(token) as string
      naming = false
    }
    if (here.length > depth && here.length <= path.length && here.every((step, at) => step === path[at])) {
      ;[found, depth] = [index, here.length]
    }
    if (token === '{') {
      here.push('')
      naming = true
    }
    if (token === '[') here.push(0)
  }
  return lineOf(text, found)
}

/** The line in which a position of a text lies. */
export function lineOf(text: string, position: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) line++
  return line
}
