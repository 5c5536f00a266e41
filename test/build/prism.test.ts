import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'rolldown'
import { beforeAll, describe, expect, it } from 'vitest'
import { slimPrism } from '../../build/prism.ts'
import { createMocker } from '../../src/prism/mocker.ts'
import { createContractValidator } from '../../src/prism/validator.ts'
import { animalStore } from '../prism/document.ts'
import { temporaryFolder } from '../support/folder.ts'

const source = (name: string) => fileURLToPath(new URL(`../../src/prism/${name}.ts`, import.meta.url))

const dir = temporaryFolder()
let bundled: { createMocker: typeof createMocker; createContractValidator: typeof createContractValidator }
beforeAll(async () => {
  const output = { dir, entryFileNames: '[name].mjs', chunkFileNames: 'chunks/[name].mjs' }
  const input = { mocker: source('mocker'), validator: source('validator') }
  await build({ input, platform: 'node', plugins: [slimPrism], output })
  const load = (name: string) => import(pathToFileURL(join(dir, `${name}.mjs`)).href)
  bundled = { ...(await load('mocker')), ...(await load('validator')) }
})

describe('the reduced and bundled Prism', () => {
  it('mocks like the package from npm', async () => {
    const [slim, whole] = await Promise.all([
      bundled.createMocker(animalStore()),
      createMocker(animalStore()),
    ])
    const options = { dynamic: true, seed: 42 }
    expect(await slim.mock('createPet', options)).toEqual(await whole.mock('createPet', options))
    expect(await slim.mock('getPet', { code: 404 })).toEqual(await whole.mock('getPet', { code: 404 }))
  })

  it('validates like the package from npm', async () => {
    const [slim, whole] = await Promise.all([
      bundled.createContractValidator(animalStore()),
      createContractValidator(animalStore()),
    ])
    const response = { status: 200, headers: ['Content-Type', 'application/json'], body: '[{"id":"1"}]' }
    const found = slim.validateResponse('listPets', response)
    expect(found).not.toEqual([])
    expect(found).toEqual(whole.validateResponse('listPets', response))
    const request = {
      method: 'POST',
      path: '/pets',
      query: '',
      headers: ['Content-Type', 'text/plain'],
      body: '{}',
    }
    expect(slim.validateRequest(request)).toEqual(whole.validateRequest(request))
  })

  it('does not contain the unused dependencies', async () => {
    const chunks = await readdir(join(dir, 'chunks'))
    const texts = await Promise.all(chunks.map((name) => readFile(join(dir, 'chunks', name), 'utf8')))
    const all = texts.join('\n')
    for (const name of ['node-fetch', 'postman-collection', 'pino', '@scarf/scarf', 'faker/dist/locale/de']) {
      expect(all).not.toContain(`node_modules/${name}`)
    }
    expect(all).not.toContain('@scarf')
  })
})
