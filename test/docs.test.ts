import { readdirSync, readFileSync } from 'node:fs'
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

it('CONTRIBUTING.md names scripts that there are', () => {
  const named = [...text('CONTRIBUTING.md').matchAll(/npm run ([a-z:]+)/g)].map(([, name]) => name as string)
  expect(named.length).toBeGreaterThan(8)
  expect(named.filter((name) => !(name in manifest.scripts))).toEqual([])
})

it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'])(
  'the files that %s names are there',
  (name) => {
    const paths = [...text(name).matchAll(/`((?:src|test|examples|docs|\.ci)\/[\w./-]+)`/g)].map(
      ([, path]) => path as string,
    )
    for (const path of paths) expect(() => readdirOrFile(path), path).not.toThrow()
  },
)

const readdirOrFile = (path: string): unknown =>
  /\.\w+$|\.ci\/run$/.test(path) ? text(path) : readdirSync(new URL(path, root))
