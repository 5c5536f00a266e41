import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { animalStoreContract } from '../../../src/contract/animal-store.ts'
import { loadFixture, readFixtureInput } from '../../../src/node/files/load.ts'
import { temporaryFolder } from '../../support/folder.ts'

const { petShape } = animalStoreContract()

const folder = temporaryFolder()
const file = (name: string) => path.join(folder, name)

describe('a fixture is loaded', () => {
  it('by its name', async () => {
    expect((await loadFixture('default', petShape)).pets).toHaveLength(12)
  })

  it.each([
    ['pets.json', '[{"name":"Rex","categoryId":1}]'],
    ['pets.YAML', '- name: Rex\n  categoryId: 1'],
    ['pets.yml', 'pets: [{ name: Rex, categoryId: 1 }]'],
    ['pets.csv', '\uFEFFname,categoryId\r\nRex,1\r\n'],
  ])('from %s', async (name, content) => {
    await writeFile(file(name), content)
    expect((await loadFixture(file(name), petShape)).pets).toStrictEqual([
      { id: 1, name: 'Rex', categoryId: 1 },
    ])
  })

  it.each(['{}', '{"w1":{"pets":[],"nextId":1,"keys":[]}}'])(
    'from a data file without changes to default, as the built-in default: %s',
    async (namespaces) => {
      await writeFile(file('db.json'), `{"version":1,"seq":3,"namespaces":${namespaces}}`)
      const ships = await loadFixture('default', petShape)
      expect(await loadFixture(file('db.json'), petShape)).toStrictEqual(ships)
    },
  )

  it('by a path relative to the current folder', async () => {
    await writeFile(file('here.json'), '[]')
    const relative = path.relative(process.cwd(), file('here.json'))
    expect((await loadFixture(relative, petShape)).pets).toEqual([])
  })
})

describe('a fixture without a name is read by its first line', () => {
  const rex = [{ name: 'Rex', categoryId: 1 }]

  it.each([
    ['JSON', '\uFEFF\n[{"name":"Rex","categoryId":1}]'],
    ['YAML', 'pets:\n  - { name: Rex, categoryId: 1 }'],
    ['YAML', '- name: Rex\n  categoryId: 1'],
    ['YAML with a comment', '# dogs, cats\npets: [{ name: Rex, categoryId: 1 }]'],
    ['YAML with a directive', '%YAML 1.2\n---\n- { name: Rex, categoryId: 1 }'],
    ['YAML with a tag', '!!map\npets: [{ name: Rex, categoryId: 1 }]'],
    ['YAML with a quoted key', '"pets": [{ name: Rex, categoryId: 1 }]'],
    ['CSV', 'name,categoryId\nRex,1\n'],
    ['CSV', '\uFEFF\r\n"categoryId";"name"\r\n1;Rex\r\n'],
    ['CSV with a named separator', 'sep=|\nname|categoryId\nRex|1\n'],
    ['CSV with a colon as separator', 'sep=:\nname:categoryId\nRex:1\n'],
  ])('%s: %j', async (_, text) => {
    expect(await readFixtureInput(Buffer.from(text), 'stdin', petShape)).toEqual({ pets: rex })
  })

  it.each([
    ['name\na\n', 'stdin:1: the header row lacks the column categoryId'],
    ['name,categoryId,born:date\n', 'stdin:1: the column "born:date" is not known'],
    ['- name: [\n', 'stdin:2: this is not YAML'],
    ['[1,\n', 'stdin:2: this is not JSON'],
  ])('that of %j is told by its problem', async (text, problem) => {
    const reading = readFixtureInput(Buffer.from(text), 'stdin', petShape)
    await expect(reading).rejects.toThrow(problem)
  })
})

describe('a fixture is refused', () => {
  const message = (nameOrFile: string) =>
    loadFixture(nameOrFile, petShape).then(
      () => expect.unreachable(),
      (error: Error) => error.message,
    )

  it('that is neither a name nor a file', async () => {
    expect(await message('sold_out')).toBe(
      '"sold_out" is not a built-in fixture (default, empty, sold-out, busy, edge-cases), ' +
        `and there is no file ${path.resolve('sold_out')}. Did you mean sold-out?`,
    )
    expect(await message('toString')).toContain('"toString" is not a built-in fixture')
    expect(await message(path.join('nowhere', 'pets.csv'))).toContain(path.resolve('nowhere', 'pets.csv'))
  })

  it('with an unknown extension', async () => {
    await writeFile(file('pets.txt'), '[]')
    expect(await message(file('pets.txt'))).toBe(
      `${file('pets.txt')}: the name must end in .json, .yaml, .yml, .csv or .tsv`,
    )
  })

  it('that is a folder', async () => {
    await mkdir(file('folder.json'))
    expect(await message(file('folder.json'))).toContain(
      `${file('folder.json')}: it cannot be read: it is a folder`,
    )
  })

  it('with another encoding', async () => {
    await writeFile(file('latin1.csv'), Buffer.from('name,categoryId\nRex,1\nZoë,1\n', 'latin1'))
    expect(await message(file('latin1.csv'))).toBe(`${file('latin1.csv')}:3: this is not UTF-8 text`)
    const replaced = Buffer.concat([Buffer.from('name,categoryId\nR\uFFFDx,1\n'), Buffer.from([0xe9, 0x0a])])
    await writeFile(file('replaced.csv'), replaced)
    expect(await message(file('replaced.csv'))).toBe(`${file('replaced.csv')}:3: this is not UTF-8 text`)
    await writeFile(file('utf16.json'), Buffer.from('\uFEFF[]', 'utf16le'))
    expect(await message(file('utf16.json'))).toBe(
      `${file('utf16.json')}:1: this is UTF-16 text; save it as UTF-8 (a table in a spreadsheet as "CSV UTF-8")`,
    )
    await writeFile(file('pets.tsv'), 'name\tcategoryId\nRex\t1\n')
    expect(await loadFixture(file('pets.tsv'), petShape)).toMatchObject({ pets: [{ name: 'Rex' }] })
  })

  it('with the file and line of each problem', async () => {
    await writeFile(file('bad.csv'), 'name,categoryId,status\nRex,1,lost\nMax,x,\n')
    expect(await message(file('bad.csv'))).toBe(
      `${file('bad.csv')}:2: pets[0].status must be one of available, pending, sold, not "lost"\n` +
        `${file('bad.csv')}:3: pets[1].categoryId must be an integer (int64), not "x"`,
    )
  })
})
