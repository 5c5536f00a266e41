import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Every overlay of the documentation and the examples: its place, and its text. */
export function overlaysShown(): { readonly name: string; readonly text: string }[] {
  const files = ['README.md', ...below('docs'), ...below('examples')]
  return files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const texts = file.endsWith('.md') ? blocks(text) : [text]
    return texts
      .filter((each) => /^overlay: 1\.0/m.test(each) || /"overlay": *"1\.0/.test(each))
      .map((each, i) => ({ name: `${file}, ${i + 1}`, text: each }))
  })
}

const below = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && /\.(md|ya?ml|json)$/.test(each.name))
    .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)))
    .filter((file) => !file.includes('node_modules'))

const blocks = (markdown: string): string[] =>
  [...markdown.matchAll(/^```(?:ya?ml|json)\n(.*?)^```$/gms)].map(([, text = '']) => text)
