import fs from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { loadContract } from '../../src/compose/start-files.ts'
import { parseJson } from '../../src/contract/openapi/json.ts'
import { serializeFixture } from '../../src/fixtures/serialize.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/index.ts'
import { loadFixture } from '../../src/node/files/load.ts'
import { asAfterCrash } from '../node/store/folder.ts'
import { temporaryFolder } from '../support/folder.ts'

const FIELDS = `
  tags: { type: array, items: { type: string } }
  bornOn: { type: string, format: date }
  chip: { type: integer, format: int64 }
  weight: { type: number }
  nickname: { type: string }
  neutered: { type: boolean }
  owner:
    type: object
    required: [phone]
    properties: { phone: { type: integer, format: int64 }, email: { type: string, format: email } }
`
const overlayOf = (fields: string, required = '[]') => `overlay: 1.0.0
info: { title: More about a pet, version: 1.0.0 }
actions:
  - target: $.components.schemas.Pet
    update: { required: ${required}, properties: { ${flow(fields)} } }
  - target: $.components.schemas.NewPet
    update: { properties: { ${flow(fields)} } }
  - target: $.components.schemas.PetStatus.enum
    update: adopted
`
const flow = (fields: string) => JSON.stringify(parseYaml(fields)).slice(1, -1)

const KIT =
  '{"name":"Kit","categoryId":2,"status":"adopted","tags":["a","b, \\"c\\""],"bornOn":"2026-02-28","chip":9007199254740993,' +
  '"nickname":"","neutered":true,"owner":{"phone":9007199254740995,"email":"kit@example.com"}}'
const stored = (id: number) => KIT.replace('{', `{"id":${id},`)

let folder: string
let overlay: string
const open: Sandbox[] = []
const start = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const sandbox = await createSandbox({ listen: false, log: 'silent', overlay, ...options })
  open.push(sandbox)
  return sandbox
}
const call = async (sandbox: Sandbox, path: string, body?: string): Promise<string> => {
  const headers = { authorization: 'Bearer psk_enterprise', 'content-type': 'application/json' }
  const response = await sandbox.fetch(path, { headers, ...(body && { method: 'POST', body }) })
  return response.text()
}
const created = (sandbox: Sandbox, body = KIT) => call(sandbox, '/v1/pets', body)

it.each(['constructor', 'toString'])('a field cannot be called %s', async (name) => {
  fs.writeFileSync(overlay, overlayOf(`{ ${name}: { type: string } }`))
  await expect(start()).rejects.toThrow(`a pet cannot have a field "${name}"; use another name`)
})

beforeEach(() => {
  folder = temporaryFolder()
  overlay = join(folder, 'overlay.yaml')
  fs.writeFileSync(overlay, overlayOf(FIELDS))
})
afterEach(() => Promise.all(open.splice(0).map((sandbox) => sandbox.close())))

describe.each([
  ['memory', () => ({ fixture: 'empty' })],
  ['a file', () => ({ fixture: 'empty', db: join(folder, 'db.json') })],
] as const)('the fields that an overlay adds, in %s', (_, options) => {
  it('are returned and listed, and only the status is a filter', async () => {
    const sandbox = await start(options())
    expect(await created(sandbox)).toBe(stored(1))
    expect(await call(sandbox, '/v1/pets/1')).toBe(stored(1))
    expect(await call(sandbox, '/v1/pets?status=adopted')).toBe(`[${stored(1)}]`)
    expect(await call(sandbox, '/v1/pets?status=sold')).toBe('[]')
  })

  it.each([
    ['"bornOn":"2026-02-30"', 'bornOn must be a valid date, such as 2026-11-19'],
    ['"tags":["a",1]', 'tags[1] must be a string'],
    ['"owner":{}', 'owner.phone is required'],
    ['"owner":{"phone":1,"email":"kit"}', 'owner.email must be a valid email'],
    ['"owner":{"phone":9223372036854775808}', 'owner.phone must be an integer (int64)'],
    ['"weight":1e-400', 'weight must contain only numbers that a double can represent'],
    ['"weight":1e18', 'weight must be a number from -9,007,199,254,740,991 to 9,007,199,254,740,991'],
    ['"weight":1e400', 'weight must contain only numbers that a double can represent'],
    ['"owner":{"phone":1,"x":[5e-999]}', 'owner must contain only numbers that a double can represent'],
    ['"status":"lost"', 'status must be one of available, pending, sold, adopted'],
  ])('are validated: %s', async (field, message) => {
    const sandbox = await start(options())
    expect(JSON.parse(await created(sandbox, `{"name":"Kit","categoryId":2,${field}}`))).toEqual({
      code: 'invalid_body',
      message,
      status: 400,
    })
    expect(await call(sandbox, '/v1/pets')).toBe('[]')
  })

  it('are exported and imported again, in every format', async () => {
    const sandbox = await start(options())
    await created(sandbox)
    const exported = await call(sandbox, '/_sandbox/export')
    expect(exported).toContain(stored(1))
    const { petShape } = await loadContract([overlay])
    for (const format of ['json', 'yaml', 'csv'] as const) {
      const file = join(folder, `pets.${format}`)
      const { pets, nextId } = parseJson(exported) as never
      fs.writeFileSync(file, await serializeFixture({ pets, nextId, keys: [] }, format, petShape))
      expect((await loadFixture(file, petShape)).pets, format).toStrictEqual(pets)
      expect(await call(await start({ fixture: file }), '/v1/pets'), format).toBe(`[${stored(1)}]`)
    }
  })

  it('are in generated pets, snapshots and restored states', async () => {
    const sandbox = await start(options())
    await sandbox.seed({ count: 60, seed: 4 })
    const { petShape } = await loadContract([overlay])
    const { pets } = await sandbox.export()
    expect(pets.flatMap((pet) => petShape.errors(pet))).toEqual([])
    for (const name of petShape.names)
      expect(
        pets.some((pet) => name in pet),
        name,
      ).toBe(true)
    await sandbox.seed({ pets: [parseJson(KIT) as never] })
    await sandbox.snapshots.save('kit')
    await sandbox.reset()
    await sandbox.snapshots.restore('kit')
    expect(await call(sandbox, '/v1/pets')).toBe(`[${stored(1)}]`)
  })
})

describe('a data file', () => {
  it('has the fields after a restart, and after a kill', async () => {
    const first = await start({ fixture: 'empty', db: join(folder, 'db.json') })
    await created(first)
    await created(first)
    const crashed = asAfterCrash(folder)
    expect(await call(await start({ db: join(crashed, 'db.json') }), '/v1/pets/2')).toBe(stored(2))
    await first.close()
    expect(await call(await start({ db: join(folder, 'db.json') }), '/v1/pets/2')).toBe(stored(2))
  })

  it('keeps them without the overlay, also after it is rewritten, and warns', async () => {
    const db = join(folder, 'db.json')
    fs.writeFileSync(overlay, overlayOf(FIELDS).replace('update: adopted', 'update: sold'))
    const pet = KIT.replace('adopted', 'sold')
    const first = await start({ fixture: 'empty', db })
    await created(first, pet)
    await first.close()
    for (let times = 0; times < 2; times++) {
      const without = await start({ db, overlay: undefined })
      expect(without.info.notices.map(({ text }) => text)).toEqual([
        `${db}: its pets have fields that the contract does not declare (tags, bornOn, chip, nickname, neutered, owner): ` +
          'they are kept, but not served. Start with the overlay that declares them.',
      ])
      expect(await call(without, '/v1/pets/1')).toBe('{"id":1,"name":"Kit","categoryId":2,"status":"sold"}')
      await created(without, '{"name":"Rex","categoryId":1}')
      await without.close()
    }
    expect(await call(await start({ db }), '/v1/pets/1')).toBe(pet.replace('{', '{"id":1,'))
  })

  it('stops the start if a pet lacks a required field, and names the first one', async () => {
    const db = join(folder, 'db.json')
    const first = await start({ fixture: 'empty', db })
    await created(first)
    await created(first, '{"name":"Rex","categoryId":1}')
    await first.close()
    fs.writeFileSync(overlay, overlayOf(FIELDS, '[bornOn]'))
    await expect(start({ db })).rejects.toThrow(/db\.json.*, line \d+: .*bornOn is required/)
  })
})

it('the document of the control API describes the pets of the overlay', async () => {
  fs.writeFileSync(overlay, overlayOf(FIELDS))
  const sandbox = await start()
  await created(sandbox)
  const read = async (path: string) => JSON.parse(await call(sandbox, `/_sandbox${path}`))
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(await read('/openapi.json'), 'control')
  const fits = (name: string, value: unknown) =>
    ajv.validate({ $ref: `control#/components/schemas/${name}` }, value) || ajv.errorsText()
  const { pets } = await read('/export')
  expect(pets.map((pet: object) => [fits('Pet', pet), fits('FixturePet', pet)])).toEqual(
    pets.map(() => [true, true]),
  )
  expect(fits('Seed', { count: 3, status: { adopted: 1 } })).toBe(true)
  expect(fits('FixturePet', { ...pets[0], colour: 'red' })).toContain('additional properties')
})

it('starts without pets if the built-in ones lack a field that the overlay requires, and warns', async () => {
  fs.writeFileSync(overlay, overlayOf(FIELDS, '[bornOn]'))
  const sandbox = await start()
  expect(sandbox.info.notices[0]?.text).toContain(
    'the default fixture does not fit the overlay (pets[0].bornOn is required)',
  )
  expect(await call(sandbox, '/v1/pets')).toBe('[]')
  await expect(start({ fixture: 'busy' })).rejects.toThrow('pets[0].bornOn is required')
})

it.each([
  ['readOnly in Pet only', { readOnly: true }, undefined],
  ['in Pet only', {}, undefined],
  ['readOnly in both', { readOnly: true }, { readOnly: true }],
])('a notice says that createPet can add no pet: a required field %s', async (_, ofPet, ofNewPet) => {
  const field = (more: object) => ({ createdAt: { type: 'string', ...more } })
  const actions = [
    {
      target: '$.components.schemas.Pet',
      update: { required: ['createdAt'], properties: field(ofPet) },
    },
    ...(ofNewPet ? [{ target: '$.components.schemas.NewPet.properties', update: field(ofNewPet) }] : []),
  ]
  fs.writeFileSync(overlay, JSON.stringify({ overlay: '1.0.0', actions }))
  const sandbox = await start({ fixture: 'empty' })
  expect(sandbox.info.notices.map(({ text }) => text)).toEqual([
    expect.stringContaining(
      'createPet refuses every pet: Pet requires createdAt, which a client cannot send.',
    ),
  ])
  expect(await created(sandbox, '{"name":"Kit","categoryId":2}')).toContain('createdAt is required')
})

it.each([
  ['a further keyword', { not: { const: 'sold' } }, 'status must not be '],
  ['a keyword of its target', { enum: ['available', 'lost'] }, 'status must be one of available, lost'],
])('%s beside a reference is validated', async (_, beside, expected) => {
  const status = { $ref: '#/components/schemas/PetStatus', description: 'The status.', ...beside }
  // The reference leads to another one, beside which the keywords are.
  const schemas = {
    NewStatus: status,
    NewPet: { properties: { status: { $ref: '#/components/schemas/NewStatus' } } },
  }
  const actions = [{ target: '$.components.schemas', update: schemas }]
  fs.writeFileSync(overlay, JSON.stringify({ overlay: '1.0.0', actions }))
  const sandbox = await start({ fixture: 'empty' })
  const kit = (value: string) => `{"name":"Kit","categoryId":2,"status":"${value}"}`
  expect(await created(sandbox, kit('sold'))).toContain(expected)
  expect(await created(sandbox, kit('available'))).toContain('"id":1,')
})

it('fields of the alternatives of a pet are stored and generated', async () => {
  const cat = {
    properties: { kind: { const: 'cat' }, lives: { type: 'integer', maximum: 9 } },
    required: ['lives'],
  }
  const dog = { properties: { kind: { const: 'dog' }, chips: { type: 'boolean' } }, required: ['chips'] }
  const update = { required: ['kind'], oneOf: [cat, dog], discriminator: { propertyName: 'kind' } }
  const actions = [{ target: "$.components.schemas['Pet','NewPet']", update }]
  fs.writeFileSync(overlay, JSON.stringify({ overlay: '1.0.0', actions }))
  const sandbox = await start({ fixture: 'empty' })
  const kit = (more: string) => created(sandbox, `{"name":"Kit","categoryId":2,${more}}`)
  expect(await kit('"kind":"cat","lives":9')).toContain('"kind":"cat","lives":9')
  expect(await kit('"kind":"dog","lives":9')).toContain('chips is required')
  await sandbox.seed({ count: 20, seed: 1 })
  const pets = JSON.parse(await call(sandbox, '/v1/pets')) as { lives?: number; chips?: boolean }[]
  expect(pets.every(({ lives, chips }) => (lives === undefined) !== (chips === undefined))).toBe(true)
})

it('a pet is generated again if the first one does not meet a condition of several fields', async () => {
  const member = { type: 'string' }
  const update = { properties: { a: member, b: member }, dependentRequired: { a: ['b'] } }
  const actions = [{ target: "$.components.schemas['Pet','NewPet']", update }]
  fs.writeFileSync(overlay, JSON.stringify({ overlay: '1.0.0', actions }))
  const sandbox = await start({ fixture: 'empty' })
  expect(await sandbox.seed({ count: 100, seed: 1 })).toEqual({ pets: 100 })
})

it('a decimal multiple is not refused for the inexact division of its value', async () => {
  fs.writeFileSync(overlay, overlayOf('{ price: { type: number, multipleOf: 0.01 } }'))
  const sandbox = await start({ fixture: 'empty' })
  const prices = ['19.99', '0.07', '4.35', '123456.78']
  for (const price of prices)
    expect(await created(sandbox, `{"name":"Kit","categoryId":2,"price":${price}}`)).toContain(
      `"price":${price}`,
    )
  expect(await created(sandbox, '{"name":"Kit","categoryId":2,"price":0.011}')).toContain(
    'price must be a multiple of 0.01',
  )
})

it('a pattern is read with the flag u, as JSON Schema says, also by the generator', async () => {
  fs.writeFileSync(overlay, overlayOf('{ breed: { type: string, pattern: "^\\\\p{L}+$" } }'))
  const sandbox = await start({ fixture: 'empty' })
  const sent = (breed: string) => created(sandbox, `{"name":"Kit","categoryId":2,"breed":"${breed}"}`)
  expect(await sent('é')).toContain('"breed":"é"')
  expect(await sent('p{L}')).toContain('breed must match pattern')
  await sandbox.seed({ count: 9, seed: 1 })
  expect(JSON.stringify((await sandbox.export()).pets)).toMatch(/"breed":"\p{L}+"/u)
  fs.writeFileSync(overlay, overlayOf('{ breed: { type: string, pattern: "^\\\\_$" } }'))
  await expect(start()).rejects.toThrow('Invalid regular expression: /^\\_$/u: Invalid escape')
})

it('a status that an overlay adds has a share, and may be that of pets that are created without one', async () => {
  const decisions = { 'create.status': 'adopted' }
  const sandbox = await start({ fixture: 'empty', decisions })
  await sandbox.seed({ count: 4, status: { adopted: 1, sold: 3 } })
  const { pets } = await sandbox.export()
  expect(pets.map(({ status }) => status).sort()).toEqual(['adopted', 'sold', 'sold', 'sold'])
  await expect(sandbox.seed({ count: 4, status: { lost: 1 } })).rejects.toThrow(
    'status.lost is not known here; known: available, pending, sold, adopted',
  )
  expect(await created(sandbox, '{"name":"Kit","categoryId":2}')).toContain('"status":"adopted"')
  await expect(start({ overlay: undefined, decisions })).rejects.toThrow(
    'create.status cannot be "adopted". Choices: absent | available | pending | sold',
  )
})

it('a seed that cannot be generated is refused with the reason', async () => {
  fs.writeFileSync(overlay, overlayOf('{ tag: { type: string, pattern: "^a$", minLength: 5 } }', '[tag]'))
  const sandbox = await start()
  await expect(sandbox.seed({ count: 3, seed: 1 })).rejects.toMatchObject({
    status: 400,
    code: 'invalid_body',
    message: expect.stringMatching(/^seed\(.+\): No pet can be generated that fits the contract: tag must /),
  })
})
