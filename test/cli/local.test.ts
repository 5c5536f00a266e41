import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMAND_ROWS } from '../../src/cli/registry.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Ran, runCli } from './run-cli.ts'

const folder = temporaryFolder()

const here = (line: string, env: NodeJS.ProcessEnv = {}): Promise<Ran> => runCli(line.split(' '), env, folder)

describe('help and version', () => {
  it('the help names every command', async () => {
    const { code, out, err } = await here('--help')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const flat = out.replace(/\s+/g, ' ')
    for (const { name, summary } of COMMAND_ROWS) {
      expect(flat).toContain(` ${name} `)
      expect(flat).toContain(summary)
    }
  })

  it.each(COMMAND_ROWS.map(({ name }) => name))('%s --help has examples', async (name) => {
    const { code, out } = await here(`${name} --help`)
    expect(code).toBe(0)
    expect(out).toContain('Examples:\n  $ petstore-sandbox ')
    expect((await here(`help ${name}`)).out).toBe(out)
  })

  it('is found however it is asked for', async () => {
    const { out: all } = await here('--help')
    for (const line of ['help', 'help --help']) expect((await here(line)).out).toBe(all)
    const { out: add } = await here('faults add --help')
    expect(add).toContain('--probability')
    for (const line of ['help faults add', 'faults help add', 'help faults add --help']) {
      expect((await here(line)).out).toBe(add)
    }
    expect((await here('help faults ad')).err).toContain('Did you mean add?')
  })

  it('--version prints the version alone', async () => {
    const { code, out } = await here('--version')
    expect({ code, out: out.replace(/\d+/g, '0') }).toEqual({ code: 0, out: '0.0.0\n' })
  })
})

describe('wrong usage is exit code 2, one line and a suggestion', () => {
  it.each([
    ['strat', 'There is no command "strat". Did you mean start? Commands: start,'],
    ['constructor', 'There is no command "constructor".'],
    ['--prot 1', "unknown option '--prot' (Did you mean --port?). See petstore-sandbox start --help"],
    ['start now', "too many arguments for 'start'"],
    ['--port', "option '-p, --port <number>' argument missing"],
    ['--port 99999', '--port: "99999" is not a valid port'],
    ['validate', "missing required argument 'fixture'"],
    ['validate nope.json', 'nope.json'],
    ['decisions --set list.limit=clmp', 'Did you mean clamp?'],
    ['spec --format xml', 'Allowed choices are yaml, json'],
    ['spec --set get.removedOn=2020-01-01', 'is later than get.removedOn'],
    ['generate --count -1', '--count'],
    ['generate --count 3 --status lost=1', '--status: "lost" is not a status'],
    ['decisions --set limit=clamp', 'Did you mean list.limit or limits.minute'],
    ['completion powershell', 'Allowed choices are bash, zsh, fish'],
  ])('%s', async (line, message) => {
    const { code, out, err } = await here(line)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(message)
    expect(err.trimEnd()).not.toContain('\n')
  })
})

describe('decisions', () => {
  it('shows what is in force here, below each its question', async () => {
    const { out } = await here('decisions --set list.limit=clamp --strict')
    const lines = out.split('\n')
    const row = lines.findIndex((line) => /^list\.limit +clamp +reject \| clamp$/.test(line))
    expect(lines[row + 1]).toContain(
      'What happens to a limit that is out of range or not an integer? (section 4.1)',
    )
    expect(out).toMatch(/^unknown +reject +/m)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(101)
  })

  it('gives them as JSON', async () => {
    const { out } = await here('decisions --json', { PETSTORE_SANDBOX_SET: 'plans.free=1/2' })
    const free = JSON.parse(out).find(({ name }: { name: string }) => name === 'plans.free')
    expect(free).toMatchObject({
      section: '8',
      default: '60/1000',
      value: '1/2',
      choices: '<perMinute>/<perDay>',
    })
  })
})

describe('spec', () => {
  it('prints what is in force, as YAML or JSON', async () => {
    const { out } = await here('spec')
    expect(out).toMatch(/^openapi: 3\.1/)
    const { out: json } = await here(
      'spec --format json --now 2030-12-05T00:00:00Z --set create.blankName=reject',
    )
    const document = JSON.parse(json)
    expect(Object.keys(document.paths)).toEqual(['/pets'])
    expect(document.components.schemas.NewPet.properties.name.pattern).toBeDefined()
  })
})

describe('generate and validate', () => {
  it('what is generated is a fixture, the same for the same seed', async () => {
    const line = 'generate --count 10 --seed 7 --status available=60,sold=40'
    for (const format of ['json', 'yaml', 'csv']) {
      const { out } = await here(`${line} --format ${format}`)
      expect((await here(`${line} --format ${format}`)).out).toBe(out)
      const file = join(folder, `pets.${format}`)
      writeFileSync(file, out)
      expect(out.match(/available/g)).toHaveLength(6)
      expect((await here(`validate ${file}`)).out).toBe(
        `${file} is a fixture: 10 pets, next id 11, 0 keys.\n`,
      )
    }
  })

  it('takes the CSV of spreadsheets: other separators, a Name, empty columns and rows', async () => {
    for (const [name, text] of [
      ['a.csv', 'ID;Name;CategoryID;Status;;\n3;"Kit; the cat";2;sold;;\n;;;;;\n;Rex;1;;;\n'],
      ['b.csv', 'name\tcategoryId\nKit, the cat\t2\nRex\t1\n'],
    ] as const) {
      writeFileSync(join(folder, name), text)
      expect((await here(`validate ${join(folder, name)}`)).out).toContain('is a fixture: 2 pets')
    }
    writeFileSync(join(folder, 'c.csv'), 'name;categoryId\nKit;1\n;;\nRex;x\n')
    expect((await here(`validate ${join(folder, 'c.csv')}`)).err).toContain('c.csv:4: pets[1].categoryId')
  })

  it('checks every namespace of a data file', async () => {
    const file = join(folder, 'db.json')
    const write = (status: string) =>
      writeFileSync(
        file,
        `{"version":1,"namespaces":{"default":{"pets":[]},\n"other":{"pets":[{"id":1,"name":"Kit","categoryId":1,"status":"${status}"}]}}}`,
      )
    write('sold')
    expect((await here(`validate ${file}`)).out).toBe(`${file} is a data file: 2 namespaces, 1 pet.\n`)
    write('Sold')
    const { code, err } = await here(`validate ${file}`)
    expect(code).toBe(2)
    expect(err).toContain(`${file}, line 2: namespaces.other.pets[0].status must be one of`)
  })

  it('tells the first 20 problems and counts the others', async () => {
    const file = join(folder, 'many.csv')
    writeFileSync(file, `name,categoryId\n${'Kit,x\n'.repeat(5333)}`)
    const { code, err } = await here(`validate ${file}`)
    expect(code).toBe(2)
    expect(err.trimEnd().split('\n')).toHaveLength(21)
    expect(err).toContain('\nand 5,313 more\n')
  })

  it.each([
    [
      'twice.json',
      '{"pets":\n[{"name":"Kit","categoryId":1,\n"name":"Kit"}]}',
      'twice.json:3: the name "name" is there twice',
    ],
    ['nul.yaml', 'pets:\n  - name: "K\0t"\n    categoryId: 1\n', 'nul.yaml:2: this holds a NUL character'],
  ])('refuses %s with its line', async (name, text, message) => {
    writeFileSync(join(folder, name), text)
    const { code, err } = await here(`validate ${join(folder, name)}`)
    expect(code).toBe(2)
    expect(err).toContain(message)
    writeFileSync(join(folder, 'looks.json'), '{"pets":[{"name":"a\\": b","categoryId":1}]}')
    expect((await here(`validate ${join(folder, 'looks.json')} --json`)).out).toContain('"pets":1')
  })

  it('a bad fixture is exit code 2 and every problem with its line', async () => {
    const file = join(folder, 'bad.yaml')
    writeFileSync(file, 'pets:\n  - name: Kit\n  - name: 7\n    categoryId: 1\n    status: lost\n')
    const { code, out, err } = await here(`validate ${file}`)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(
      err.match(/bad\.yaml:\d+: pets\[\d\]\.\w+/g)?.map((text) => text.slice('bad.yaml:'.length)),
    ).toEqual(['2: pets[0].categoryId', '3: pets[1].name', '5: pets[1].status'])
  })
})
