import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkSync } from 'recheck'
import ts from 'typescript'
import { expect, it } from 'vitest'

const src = fileURLToPath(new URL('../src/', import.meta.url))

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.includes('generated'),
)

interface Expression {
  readonly file: string
  readonly text: string
}

/** Every regular expression literal of a file. */
function expressionsOf(file: string): Expression[] {
  const found: Expression[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push({ file, text: node.text })
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(join(src, file), 'utf8'), ts.ScriptTarget.Latest))
  return found
}

const ALLOWED = [
  // Texts that were parsed as JSON before, so that every string is closed.
  /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g,
  // Patterns of at most 1,000 characters, which are processed 200 at a time.
  /\\(?:[dDwWsSfnrtv]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|[pP]\{[\w=]+\}|[^\w\s])|\[(?:\\.|[^\]\\]){0,200}\]|\((?:\?:)?(?!\?)|[)|^$.]|(?:[*+?]|\{\d{1,9}(?:,\d{0,9})?\})\??|[^\\[\](){}|^$.*+?]/g,
].map(String)

/** By text: some are in several files. */
const expressions = new Map(files.flatMap(expressionsOf).map((each) => [each.text, each]))

it('no regular expression is slower than linear', () => {
  expect(expressions.size).toBeGreaterThan(80)
  const slow = [...expressions.values()].filter(({ text }) => {
    if (ALLOWED.includes(text)) return false
    const end = text.lastIndexOf('/')
    // An undecided expression counts as fast: the attack string of a slow one is found within milliseconds. The verdict
    // depends on a measured time, so that on a busy machine a fast one may fail once.
    const isSlow = () =>
      checkSync(text.slice(1, end), text.slice(end + 1), { timeout: 2000 }).status === 'vulnerable'
    return isSlow() && isSlow() && isSlow()
  })
  expect(slow.map(({ file, text }) => `${file}: ${text}`)).toEqual([])
})
