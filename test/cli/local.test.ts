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

  it.each(['', ...COMMAND_ROWS.map(({ name }) => name)])(
    '%s --help: its sentences fit 80 columns',
    async (name) => {
      const { out } = await runCli([...(name ? [name] : []), '--help'], {}, process.cwd(), '', undefined, 80)
      // An example is copied, so it stays on one line.
      const sentences = out.split('\n').filter((line) => !line.startsWith('  $ '))
      expect(sentences.filter((line) => line.length > 80)).toEqual([])
    },
  )

  it.each(COMMAND_ROWS.map(({ name }) => name))('%s --help has examples', async (name) => {
    const { code, out } = await here(`${name} --help`)
    expect(code).toBe(0)
    expect(out).toContain('Examples:\n  $ petstore-sandbox ')
    expect((await here(`help ${name}`)).out).toBe(out)
  })

  it('the default of --log is that of the command', async () => {
    const shown = async (name: string) =>
      /--log <form>[^(]*\(default:\s+(\w+)/.exec((await here(`${name} --help`)).out)?.[1]
    expect(await Promise.all(['start', 'proxy', 'exec', 'replay'].map(shown))).toEqual([
      'pretty',
      'pretty',
      'silent',
      'silent',
    ])
  })

  it('has the same text in each spelling of help', async () => {
    const { out: all } = await here('--help')
    for (const line of ['help', 'help --help', 'help help']) expect((await here(line)).out).toBe(all)
    const { out: add } = await here('faults add --help')
    expect(add).toContain('--probability')
    for (const line of ['help faults add', 'faults help add', 'help faults add --help']) {
      expect((await here(line)).out).toBe(add)
    }
  })

  it('--version prints the version alone', async () => {
    const { code, out } = await here('--version')
    expect({ code, out: out.replace(/\d+/g, '0') }).toEqual({ code: 0, out: '0.0.0\n' })
  })
})

it('a variable that looks like an option and is none is named, with the nearest one', async () => {
  const env = {
    PETSTORE_SANDBOX_STRIKT: 'true',
    PETSTORE_SANDBOX_DECISIONS: 'list.limit=clamp',
    PETSTORE_SANDBOX_LOG: 'silent',
    PETSTORE_SANDBOX_URL: 'http://localhost:4010',
    PETSTORE_SANDBOX_CONTROL_TOKEN: 's3cret',
    PETSTORE_SANDBOX_SERVICE_HOST: '10.0.0.1',
    PETSTORE_SANDBOX_PORT_4010_TCP: 'tcp://10.0.0.1:4010',
  }
  const { code, err } = await here('decisions', env)
  expect({ code, err: err.split('\n') }).toEqual({
    code: 0,
    err: [
      'Warning: PETSTORE_SANDBOX_STRIKT is not used: it is not an option. Did you mean PETSTORE_SANDBOX_STRICT? petstore-sandbox start --help lists the options.',
      'Warning: PETSTORE_SANDBOX_DECISIONS is not used: it is not an option. petstore-sandbox start --help lists the options.',
      '',
    ],
  })
})

describe('generate and validate', () => {
  const validate = (file: string) => runCli(['validate', file], {}, folder)

  it('generated pets are a fixture, the same for the same seed', async () => {
    const line = 'generate --count 10 --seed 7 --status available=60,sold=40'
    for (const format of ['json', 'yaml', 'csv']) {
      const { out } = await here(`${line} --format ${format}`)
      expect((await here(`${line} --format ${format}`)).out).toBe(out)
      const file = join(folder, `pets.${format}`)
      writeFileSync(file, out)
      expect(out.match(/available/g)).toHaveLength(6)
      expect((await validate(file)).out).toBe(`${file} is a fixture: 10 pets, next id 11, 0 keys.\n`)
    }
  })

  it('prints the first 20 problems and the number of the others', async () => {
    const file = join(folder, 'many.csv')
    writeFileSync(file, `name,categoryId\n${'Kit,x\n'.repeat(5333)}`)
    const { code, err } = await validate(file)
    expect(code).toBe(2)
    expect(err.trimEnd().split('\n')).toHaveLength(21)
    expect(err).toContain('\nand 5,313 more\n')
  })
})
