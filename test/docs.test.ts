import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }

const root = new URL('../', import.meta.url)
const text = (name: string): string => readFileSync(new URL(name, root), 'utf8')

it('ARCHITECTURE.md has a row for every room of src, and for no other', () => {
  const rooms = readdirSync(fileURLToPath(new URL('src/', root)), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  const named = [...text('ARCHITECTURE.md').matchAll(/^\| `src\/([a-z]+)` \|/gm)].map(([, name]) => name)
  expect(named.toSorted()).toEqual(rooms.toSorted())
})

it('CONTRIBUTING.md names only existing scripts', () => {
  const named = [...text('CONTRIBUTING.md').matchAll(/npm run ([a-z:]+)/g)].map(([, name]) => name as string)
  expect(named.length).toBeGreaterThan(8)
  expect(named.filter((name) => !(name in manifest.scripts))).toEqual([])
})

it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'])(
  'the files that %s names exist',
  (name) => {
    const paths = [...text(name).matchAll(/`((?:src|test|examples|docs|\.ci)\/[\w./-]+)`/g)].map(
      ([, path]) => path as string,
    )
    for (const path of paths) expect(existsSync(new URL(path, root)), path).toBe(true)
  },
)

const PAGES = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...readdirSync(new URL('docs/', root)).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'))

/** The anchor of a heading on GitHub and on the site. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

it('the side bar of the site has every page of docs', () => {
  const config = text('docs/.vitepress/config.ts')
  const pages = PAGES.flatMap((page) => /^docs\/([\w-]+)\.md$/.exec(page)?.[1] ?? [])
  expect(pages.filter((page) => page !== 'index' && !config.includes(`link: '/${page}'`))).toEqual([])
})

it.each(PAGES)('zsh, which has no comments at its prompt, takes the commands of %s as they are', (page) => {
  const commands = [...text(page).matchAll(/^ *```sh\n(.*?)^ *```/gms)].map(([, block]) => block).join('')
  expect(commands.replace(/'[^']*'|"[^"]*"/g, '').match(/^.*([?*]|(^|\s)#).*$/gm)).toBeNull()
})

it.each(PAGES)('the links of %s have targets', (page) => {
  const links = [...text(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
  for (const [link, path, anchor] of links) {
    const target = path ? new URL(path, new URL(page, root)) : new URL(page, root)
    expect(existsSync(target), link).toBe(true)
    if (!anchor) continue
    const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, name]) =>
      anchorOf(name ?? ''),
    )
    expect(headings, link).toContain(anchor)
  }
})
