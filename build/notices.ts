import type { Plugin } from 'rolldown'
import license, { type Dependency } from 'rollup-plugin-license'

/** Writes the name, version and licence of every bundled package. */
export const notices = (file: string): Plugin =>
  license({
    thirdParty: { multipleVersions: true, output: { file, template: write } },
  }) as Plugin

function write(dependencies: Dependency[]): string {
  const sorted = dependencies.toSorted((a, b) => titleOf(a).localeCompare(titleOf(b), 'en'))
  const texts = sorted.map((dependency) =>
    [`${titleOf(dependency)} (${dependency.license})`, licenceOf(dependency), dependency.noticeText ?? '']
      .map((part) => part.trim())
      .filter(Boolean)
      .join('\n\n'),
  )
  return [INTRODUCTION, ...texts].join(`\n\n${'-'.repeat(80)}\n\n`)
}

const INTRODUCTION = 'petstore-sandbox contains, whole or in part, the following packages.'

const titleOf = ({ name, version }: Dependency): string => `${name} ${version}`

function licenceOf(dependency: Dependency): string {
  if (dependency.licenseText) return dependency.licenseText
  if (dependency.license !== 'MIT')
    throw new Error(`${titleOf(dependency)} comes without the text of its licence.`)
  const author = dependency.author?.text() ?? `the authors of ${dependency.name}`
  return MIT.replace('<author>', author)
}

/** The licence of packages that name it without including it. */
const MIT = `Copyright (c) <author>

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`
