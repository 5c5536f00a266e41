/** Prints the notes of a release from CHANGELOG.md: tsx build/release-notes.ts v0.2.0. Fails if there are none. */
import { readFileSync } from 'node:fs'
import manifest from '../package.json' with { type: 'json' }

const [tag = ''] = process.argv.slice(2)
const { version } = manifest
if (tag !== `v${version}`) fail(`The tag is ${tag}, but package.json has ${version}; tag v${version}.`)

const changes = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8')
const section = changes.split(/^## /m).find((each) => each.split(/[\s(]/, 1)[0] === version)
const notes = section?.split('\n').slice(1).join('\n').trim()
if (!notes) fail(`CHANGELOG.md has nothing under "## ${version}"; move what is under "## Unreleased" there.`)
console.log(notes)

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
