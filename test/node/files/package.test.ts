import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { packageFolder } from '../../../src/node/files/package.ts'
import { temporaryFolder } from '../../support/folder.ts'

it('the files of the package are beside the nearest package.json, or missing', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'a/b'), { recursive: true })
  const file = pathToFileURL(join(folder, 'a/b/bundle.js')).href
  expect(() => packageFolder(file)).toThrow(/^There is no package\.json above file:.*; leave the package out/)
  writeFileSync(join(folder, 'package.json'), '{}')
  expect(packageFolder(file).href).toBe(pathToFileURL(`${folder}/`).href)
})
