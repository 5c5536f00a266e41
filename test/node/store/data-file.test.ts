import fs from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { animalStoreContract } from '../../../src/contract/animal-store.ts'
import { type DataFileAdapter, dataFileAdapter } from '../../../src/node/store/data-file.ts'
import { PetReader } from '../../../src/node/store/validation.ts'
import { slices } from '../../../src/node/turns.ts'
import { NO_PETS, Pets } from '../../../src/world/pets/collection.ts'
import { INT64_MAX, INT64_MIN, PET_STATUSES, type Pet } from '../../../src/world/pets/pet.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { contentOf } from './folder.ts'
import { plain } from './model.ts'
import { open } from './opened.ts'

const read = (file: string): ReturnType<DataFileAdapter['read']> =>
  dataFileAdapter(file, new PetReader(animalStoreContract().petShape), slices).read()

function fileOf(text: string | Uint8Array): string {
  const file = join(temporaryFolder(), 'db.json')
  fs.writeFileSync(file, text)
  return file
}

const pets: Pet[] = [
  { id: 1, name: 'Rex } ],', categoryId: 1, status: 'sold' },
  { id: 2, name: '"pets": [', categoryId: -9007199254740993n },
  { id: 9007199254740993n, name: 'line\nbreak', categoryId: 9223372036854775807n, status: 'available' },
]
const own = `{
  "version": 1,
  "seq": 7,
  "namespaces": {
    "default": {
      "pets": [
        {"id":1,"name":"Rex } ],","categoryId":1,"status":"sold"},
        {"id":2,"name":"\\"pets\\": [","categoryId":-9007199254740993},
        {"id":9007199254740993,"name":"line\\nbreak","categoryId":9223372036854775807,"status":"available"}
      ],
      "nextId": 9007199254740994,
      "keys": []
    }
  }
}
`
const spread = own
  .replace(/([{,])(?="(?:id|name|categoryId|status)":)/g, '$1\n')
  .replace(/\}(?=,?\n)/g, '\n}')

describe('all layouts are parsed to the same pets', () => {
  test.each([
    ['as written', own],
    ['without the last newline', own.trimEnd()],
    ['with a byte order mark', `\uFEFF${own}`],
    ['with CRLF', own.replaceAll('\n', '\r\n')],
    ['spread over lines', spread],
    ['spread, with CRLF', spread.replaceAll('\n', '\r\n')],
    ['without line breaks', own.replaceAll(/\n */g, '')],
    ['with several pets a line', own.replace('"sold"},\n', '"sold"}, ')],
    ['with the first pet behind the bracket', own.replace('[\n        {"id":1', '[{"id":1')],
    ['with the last bracket behind its pet', own.replace('"available"}\n      ]', '"available"}]')],
    ['in another order', own.replace(/( *\{"id":1,.*\n)( *\{"id":2,.*\n)/, '$2$1')],
    ['without nextId, keys and seq', own.replace(/,\n *"nextId".*\n.*/, '').replace('"seq": 7,', '')],
    ['with an exponent', own.replace('-9007199254740993', '-9.007199254740993e15')],
  ])('%s', async (_, text) => {
    const data = await read(fileOf(text))
    expect(data && plain(data.namespaces)).toEqual(
      new Map([['default', { pets: { pets, nextId: 9007199254740994n }, keys: [] }]]),
    )
  })
})

test('large tables are read with every digit, wherever a big integer is', async () => {
  const many = Array.from({ length: 30_000 }, (_, index) => ({
    id: index + 1,
    name: `Pet ${index}`,
    categoryId: index % 977 === 0 ? INT64_MAX - BigInt(index) : index,
  }))
  const file = fileOf('')
  const table = { pets: many, nextId: 30_001 }
  await dataFileAdapter(file, new PetReader(animalStoreContract().petShape), slices).write({
    seq: 1,
    mark: 2,
    isFresh: false,
    namespaces: new Map([['default', { pets: new Pets(table), empty: new Pets(NO_PETS), keys: [] }]]),
  })
  const data = await read(file)
  expect(data && plain(data.namespaces).get('default')?.pets).toEqual(table)
})

test('a data file that is too long to be read again is not written', async () => {
  const file = fileOf(own)
  const write = (longest: number) =>
    dataFileAdapter(
      file,
      new PetReader(animalStoreContract().petShape),
      slices,
      undefined,
      undefined,
      longest,
    ).write({ seq: 8, mark: 2, isFresh: false, namespaces: new Map() })
  await expect(write(100)).rejects.toThrow('it would be longer than a start can read')
  expect(fs.readFileSync(file, 'utf8')).toBe(own)
  await write(256)
  expect((await read(file))?.seq).toBe(8)
})

test('property: a written state is read unchanged', async () => {
  const int64 = fc
    .bigInt({ min: INT64_MIN, max: INT64_MAX })
    .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value))
  const id = int64.filter((value) => value >= 0)
  const pet = fc.record(
    {
      id,
      name: fc.string({ unit: 'grapheme' }),
      categoryId: int64,
      status: fc.constantFrom(...PET_STATUSES),
    },
    { requiredKeys: ['id', 'name', 'categoryId'], noNullPrototype: true },
  )
  const table = fc.uniqueArray(pet, { selector: ({ id }) => BigInt(id) }).map((unsorted) => {
    const sorted = unsorted.sort((a, b) => (a.id < b.id ? -1 : 1))
    return new Pets({ pets: sorted, nextId: INT64_MAX + 1n })
  })
  const empty = fc.oneof(table, fc.constant(new Pets(NO_PETS)))
  const namespace = fc.record({ pets: table, empty, keys: fc.constant([]) })
  const names = fc.stringMatching(/^[\w-]{1,64}$/)
  const file = fileOf('')
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.array(fc.tuple(names, namespace)), async (seq, namespaces) => {
      const data = { seq, mark: seq, isFresh: seq % 2 === 1, namespaces: new Map(namespaces) }
      await dataFileAdapter(file, new PetReader(animalStoreContract().petShape), slices).write(data)
      const found = await read(file)
      expect(found && { ...found, namespaces: plain(found.namespaces) }).toEqual({
        seq,
        mark: seq,
        isFresh: data.isFresh,
        namespaces: plain(data.namespaces),
        written: seq,
        isEdited: false,
      })
    }),
  )
})

describe('an invalid data file is refused at the start, and not changed', () => {
  const withPet = (text: string): string => own.replace(/\{"id":2.*\}/, text)
  test.each<[string, string | Uint8Array, number | undefined, string]>([
    ['nothing', '', 1, 'not JSON'],
    ['something else', 'petstore', 1, 'not JSON'],
    ['cut off', own.slice(0, 300), 9, 'not JSON'],
    ['a NUL', own.replace('Rex', 'R\0x'), 7, 'contains a NUL character'],
    [
      'a member twice in a pet',
      withPet('{"id":2,"name":"a","categoryId":1,"name":"a"}'),
      8,
      'the name "name" appears twice',
    ],
    ['a namespace twice', own.replace('"default": {', '"default": {}, "default": {'), 5, 'default'],
    [
      'a mark of our own for pets',
      own.replace('"nextId"', '"empty": {"pets": "\\u00000"}, "nextId"'),
      11,
      'empty.pets must be an array',
    ],
    ['a missing comma', own.replace('"sold"},', '"sold"}'), 8, 'not JSON'],
    ['a trailing comma', own.replace('"available"}', '"available"},'), 10, 'not JSON'],
    ['another encoding', Buffer.from(own.replace('Rex', 'R\xe9x'), 'latin1'), 7, 'not UTF-8'],
    ['UTF-16', Buffer.from(`\uFEFF${own}`, 'utf16le'), 1, 'UTF-16 text; save it as UTF-8'],
    ['a later version', own.replace('"version": 1', '"version": 2'), 2, 'version is 2: a newer'],
    ['a later version of another program', '{"version":2}', 1, 'version must be 1'],
    ['no version', '{"namespaces":{}}', 1, 'version must be 1'],
    ['a list', '[]', 1, 'version must be 1'],
    ['no namespaces', '{"version":1}', 1, 'namespaces must be an object'],
    ['a wrong name', own.replace('"default"', '"a b"'), 5, 'must be the name of a namespace'],
    ['an unknown member', own.replace('"nextId"', '"nextID"'), 11, 'nextID is not known here'],
    ['a wrong seq', own.replace('"seq": 7', '"seq": -7'), 3, 'seq must be an integer'],
    ['pets that are not a list', own.replace(/\[[\s\S]*?\n {6}\]/, '{}'), 6, 'pets must be an array'],
    ['a pet that is none', withPet('null'), 8, 'namespaces.default.pets[1] must be an object'],
    [
      'a pet without an id',
      withPet('{"name":"a","categoryId":1}'),
      8,
      'pets[1].id must be an integer (int64)',
    ],
    [
      'an id in quotes',
      withPet('{"id":"2","name":"a","categoryId":1}'),
      8,
      'pets[1].id must be an integer (int64) of at least 0, not "2"',
    ],
    [
      'an id beyond int64',
      withPet('{"id":9223372036854775808,"name":"a","categoryId":1}'),
      8,
      'pets[1].id must be',
    ],
    [
      'a fraction',
      withPet('{"id":2,"name":"a","categoryId":1.5}'),
      8,
      'pets[1].categoryId must be an integer (int64), not 1.5',
    ],
    ['a wrong next id', own.replace(/"nextId": \d+/, '"nextId": "5"'), 11, 'of at least 0, not "5"'],
    [
      'a next id in use',
      own.replace(/"nextId": \d+/, '"nextId": 1'),
      11,
      'the highest id (9007199254740993), not 1',
    ],
    ['no name', withPet('{"id":2,"name":null,"categoryId":1}'), 8, 'pets[1].name must be a string'],
    [
      'a wrong status',
      withPet('{"id":2,"name":"a","categoryId":1,"status":"Sold"}'),
      8,
      'pets[1].status must be one',
    ],
    ['an id twice', withPet('{"id":1,"name":"a","categoryId":1}'), 6, 'pets contain the id 1 twice'],
    [
      'a counter too low',
      own.replace('"nextId": 9007199254740994', '"nextId": 2'),
      11,
      'nextId must be greater',
    ],
    [
      'a key without a plan',
      own.replace('"keys": []', '"keys": [{"key":"psk_a"}]'),
      12,
      'keys[0].plan is required',
    ],
  ])('%s', async (_, text, line, reason) => {
    const file = fileOf(text)
    await expect(read(file)).rejects.toMatchObject({ name: 'DataFileError', file, line })
    await expect(read(file)).rejects.toThrow(reason)
    // An overlay may have made a pet valid, nothing else.
    const overlay = /pets/.test(reason) ? 'start with the --overlay that it was written with, ' : ''
    const first = /newer/.test(reason) ? 'Use that petstore-sandbox' : 'Correct the file'
    await expect(read(file)).rejects.toThrow(`${first}, ${overlay}use another file with --db <file>`)

    const folder = join(file, '..')
    const before = contentOf(folder)
    await expect(open(file)).rejects.toThrow(`${file}, line ${line}: `)
    expect(contentOf(folder)).toEqual(before)
  })
})

test('a folder is refused with a message, also if there is none of that name', async () => {
  const folder = temporaryFolder()
  for (const path of [folder, `${folder}/new/of it/`])
    await expect(open(path)).rejects.toThrow(
      `${path}: it names a folder. Name a file in it: --db ${join(path, 'db.json')} (in code db)`,
    )
  expect(contentOf(folder)).toEqual({})
})
