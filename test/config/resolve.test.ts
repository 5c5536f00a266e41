import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { checkOptions, type SandboxOptions } from '../../src/config/options.ts'
import { resolveOptions } from '../../src/config/resolve.ts'
import { UsageError } from '../../src/config/usage-error.ts'
import { temporaryFolder } from '../support/folder.ts'

let folder: string

beforeEach(() => {
  folder = temporaryFolder()
})

const write = (name: string, content: unknown): string => {
  const file = join(folder, name)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const resolved = (flags: Record<string, unknown> = {}, env: Record<string, string> = {}, cwd = folder) =>
  resolveOptions({ flags, env, cwd })

const settings = async (...args: Parameters<typeof resolved>) =>
  checkOptions((await resolved(...args)).options)

describe('precedence', () => {
  it('is flag, environment, configuration file, default', async () => {
    write('petstore-sandbox.config.json', { port: 1, host: 'file', seed: 3 })
    const given = await settings({ port: '5' }, { PETSTORE_SANDBOX_PORT: '4', PETSTORE_SANDBOX_HOST: 'env' })
    expect(given).toMatchObject({
      port: 5,
      host: 'env',
      seed: 3,
      log: 'pretty',
      db: '.petstore-sandbox/db.json',
    })
  })

  it('applies to each decision separately, in all its spellings', async () => {
    write('petstore-sandbox.config.json', {
      strict: true,
      limits: { free: '1/1', pro: { perMinute: 2, perDay: null } },
      decisions: { 'list.limit': 'clamp', 'list.order': 'newest', 'ban.after': 7 },
    })
    const { policy } = await settings(
      { limits: ['free=9/9'], decisions: ['list.limit=reject'] },
      { PETSTORE_SANDBOX_SET: 'plans.free=5/5,unknown=ignore,ban.enabled=false' },
    )
    expect(policy.plans.free).toEqual({ perMinute: 9, perDay: 9 })
    expect(policy.plans.pro).toEqual({ perMinute: 2, perDay: null })
    expect(policy.list).toMatchObject({ limit: 'reject', order: 'newest' })
    expect(policy.ban).toMatchObject({ after: 7, enabled: false })
    expect(policy.unknown).toBe('ignore')
  })

  it.each([
    [{ strict: true, decisions: ['unknown=ignore'] }, {}, 'reject'],
    [{}, { PETSTORE_SANDBOX_STRICT: '1' }, 'reject'],
    [{ decisions: ['unknown=ignore'] }, { PETSTORE_SANDBOX_STRICT: 'true' }, 'ignore'],
    [{}, { PETSTORE_SANDBOX_STRICT: 'no', PETSTORE_SANDBOX_SET: 'unknown=reject' }, 'reject'],
  ])('%j with %j makes unknown=%3$s', async (flags, env, unknown) => {
    expect((await settings(flags, env as Record<string, string>)).policy.unknown).toBe(unknown)
  })

  it.each([
    [{}, {}, {}, '.petstore-sandbox/db.json'],
    [{ memory: true }, { PETSTORE_SANDBOX_DB: 'env.json' }, {}, undefined],
    [{ db: 'flag.json' }, { PETSTORE_SANDBOX_MEMORY: 'true' }, {}, 'flag.json'],
    [{}, { PETSTORE_SANDBOX_MEMORY: 'false' }, { db: '/file.json' }, '/file.json'],
    [{}, { PETSTORE_SANDBOX_DB: '' }, { memory: true }, undefined],
  ])('%j, %j and the file %j keep the data in %s', async (flags, env, file, db) => {
    write('petstore-sandbox.config.json', file)
    expect((await settings(flags, env as Record<string, string>)).db).toBe(db)
  })
})

describe('the environment', () => {
  it('has every option of start', async () => {
    const env = {
      PETSTORE_SANDBOX_PORT: '0',
      PETSTORE_SANDBOX_HOST: '127.0.0.1',
      PETSTORE_SANDBOX_DB: 'x.json',
      PETSTORE_SANDBOX_FIXTURE: 'busy',
      PETSTORE_SANDBOX_FRESH: 'yes',
      PETSTORE_SANDBOX_LIMITS: 'free=5/10, enterprise=unlimited/unlimited',
      PETSTORE_SANDBOX_SET: 'list.limit=clamp',
      PETSTORE_SANDBOX_STRICT: 'on',
      PETSTORE_SANDBOX_OVERLAY: 'overlay.yaml',
      PETSTORE_SANDBOX_LATENCY: '100ms-1s',
      PETSTORE_SANDBOX_NOW: '2030-12-05T00:00:00Z',
      PETSTORE_SANDBOX_FREEZE: 'true',
      PETSTORE_SANDBOX_SEED: '42',
      PETSTORE_SANDBOX_LOG: 'json',
      PETSTORE_SANDBOX_READY_FILE: 'ready.json',
      PETSTORE_SANDBOX_CONTROL_TOKEN: 'secret',
    }
    const { options, readyFile } = await resolved({}, env)
    expect(readyFile).toBe('ready.json')
    expect(checkOptions(options)).toMatchObject({
      port: 0,
      host: '127.0.0.1',
      listen: true,
      db: 'x.json',
      fixture: 'busy',
      fresh: true,
      policy: {
        list: { limit: 'clamp' },
        unknown: 'reject',
        plans: { free: { perMinute: 5, perDay: 10 }, enterprise: { perMinute: null, perDay: null } },
      },
      overlay: ['overlay.yaml'],
      latency: { from: 100, to: 1000 },
      now: Date.parse('2030-12-05T00:00:00Z'),
      freeze: true,
      seed: 42,
      log: 'json',
      controlToken: 'secret',
    })
  })

  it('accepts values with commas: a comma separates two decisions only before a name and =', async () => {
    const set =
      'cors.origins=https://a.example,https://b.example, list.limit=clamp,errors.codes=invalid_json:a,invalid_body:b'
    expect((await settings({}, { PETSTORE_SANDBOX_SET: set })).policy).toMatchObject({
      cors: { origins: ['https://a.example', 'https://b.example'] },
      list: { limit: 'clamp' },
      errors: { codes: { invalid_json: 'a', invalid_body: 'b' } },
    })
  })
})

describe('the configuration file', () => {
  it('is found upward from the current folder; its paths are relative to it', async () => {
    mkdirSync(join(folder, 'a/b'), { recursive: true })
    const file = write(
      'petstore-sandbox.config.yaml',
      'db: data/db.json\noverlay: [o.yaml, sub/p.yaml]\nfixture: pets.csv\nreadyFile: r.json\n',
    )
    const { options, readyFile, configFile } = await resolved({}, {}, join(folder, 'a/b'))
    expect(configFile).toBe(file)
    expect(readyFile).toBe(join(folder, 'r.json'))
    expect(options).toMatchObject({
      db: join(folder, 'data/db.json'),
      overlay: [join(folder, 'o.yaml'), join(folder, 'sub/p.yaml')],
      fixture: join(folder, 'pets.csv'),
    })
  })

  it('is not searched for in a folder that cannot be read', async () => {
    write('petstore-sandbox.config.json', { port: 1 })
    symlinkSync('loop', join(folder, 'loop'))
    expect(await settings({}, {}, join(folder, 'loop'))).toMatchObject({ port: 1 })
  })

  it('may have a built-in fixture, and $schema', async () => {
    write('petstore-sandbox.config.json', { $schema: './schema.json', fixture: 'sold-out' })
    expect((await resolved()).options.fixture).toBe('sold-out')
  })

  it('may be empty', async () => {
    write('petstore-sandbox.config.yml', '# nothing yet\n')
    expect((await settings()).port).toBe(4010)
    expect((await resolved()).configFile).toBe(join(folder, 'petstore-sandbox.config.yml'))
  })

  it('can be given by --config', async () => {
    write('petstore-sandbox.config.json', { port: 1 })
    write('other.json', { port: 2 })
    expect((await resolved({ config: 'other.json' })).options.port).toBe(2)
    expect((await resolved({}, { PETSTORE_SANDBOX_CONFIG: 'other.json' })).options.port).toBe(2)
  })
})

describe('a UsageError has the error, its place and the valid values', () => {
  it.each([
    [{ port: 'abc' }, '--port: "abc" is not a valid port; use a number from 0 to 65535 (0 = any free port)'],
    [{ port: '65536' }, '--port: "65536" is not a valid port'],
    [{ port: '-1' }, '--port: "-1" is not a valid port'],
    [{ port: '' }, '--port: "" is not a valid port'],
    [{ host: '' }, '--host: "" is not a valid text'],
    [{ seed: 'pets.json' }, 'from 0 to 9,007,199,254,740,991; the option fixture takes a file'],
    [{ log: 'jason' }, '--log: "jason" is not valid. Did you mean json? Choices: pretty | json | silent'],
    [{ latency: '3 parsecs' }, '--latency: "3 parsecs" is not a valid duration'],
    [
      { latency: '300ms-100ms' },
      '--latency: "300ms-100ms" is not a valid latency; use one duration (200ms) or a range of two, the shorter one first',
    ],
    [{ now: 'tomorrow' }, '--now: "tomorrow" is not a valid instant'],
    [{ now: '1969-12-31T23:59:59.999Z' }, '--now: "1969-12-31T23:59:59.999Z" is out of range'],
    [{ limits: ['gold=1/1'] }, '--limits: There is no plan "gold". Plans: free, pro, business, enterprise'],
    [{ limits: ['free=1'] }, '--limits: plans.free cannot be "1"'],
    [{ limits: ['free'] }, '--limits: "free" is not a valid pair; use <name>=<value>, such as free=60/1000'],
    [{ decisions: ['list.limit'] }, '--set: "list.limit" is not a valid pair'],
    [{ decisions: ['list.limit=clmp'] }, '--set: list.limit cannot be "clmp". Did you mean clamp?'],
    [
      { decisions: ['list.limt=clamp'] },
      '--set: There is no decision "list.limt". Did you mean list.limit? Decisions: cors.origins,',
    ],
    [{ controlToken: 'a b' }, '--control-token: the control token is not valid'],
    [{ memory: true, db: 'x.json' }, 'memory uses no data file, but db names x.json'],
    [{ config: 'nope.json' }, 'nope.json: there is no such file'],
  ])('for the flags %j', async (flags, message) => {
    const error = await resolved(flags).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UsageError)
    expect((error as Error).message).toContain(message)
  })

  it.each([
    [
      { PETSTORE_SANDBOX_PORT: 'tcp://10.0.0.1:4010' },
      'PETSTORE_SANDBOX_PORT: "tcp://10.0.0.1:4010" is not a valid port',
    ],
    [{ PETSTORE_SANDBOX_MEMORY: 'maybe' }, 'PETSTORE_SANDBOX_MEMORY: "maybe" is neither true nor false'],
    [
      { PETSTORE_SANDBOX_SET: 'list.limit=clamp,oops' },
      'PETSTORE_SANDBOX_SET: list.limit cannot be "clamp,oops"',
    ],
  ])('for the environment %j', async (env, message) => {
    await expect(resolved({}, env as Record<string, string>)).rejects.toThrow(message)
  })

  it.each([
    [
      'json',
      '{"prot": 1}',
      'there is no option "prot". Did you mean port? Options: port, host, cert, key, db,',
    ],
    ['json', '{\n  "port": 1,\n  "config": "x"}', ':3: there is no option "config"'],
    ['json', '{"listen": false}', 'there is no option "listen"'],
    ['json', '{"listen": 5}', 'there is no option "listen"'],
    ['json', '{"port": true}', ':1, port: true is not a valid port'],
    [
      'json',
      '{"decisions": {"ban.status": 418}}',
      ', decisions: ban.status cannot be "418". Choices: 429 | 403',
    ],
    ['json', '{"limits": {"free": 5}}', ', limits: plans.free cannot be "5"'],
    [
      'json',
      '{\n  "port": 1,\n  "latency": {"min": 1}\n}',
      ':3, latency: "{"min":1}" is not a valid duration',
    ],
    ['json', '{"now": {"toString": 1}}', ', now: "{"toString":1}" is not a valid instant'],
    [
      'yaml',
      'decisions:\n  list.limit: clamp\n  list.ordr: oldest',
      ':3, decisions: There is no decision "list.ordr"',
    ],
    ['json', '{"latency": {"min": 1, "max": 2}}', ', latency: "{"min":1,"max":2}" is not a valid duration'],
    ['json', '[]', 'the configuration is not an object'],
    ['json', 'null', 'the configuration is not an object'],
    ['json', '{\n  "port": 1,\n}', ":3: this is not JSON: Quoted object key expected but got '}'"],
    ['json', '{"port": 1, "port": 2}', 'the name "port" appears twice'],
    ['yaml', 'port: 1\n\nlimits:\n  free: 5', ':4, limits: plans.free cannot be "5"'],
    ['yaml', 'port: [', 'this is not YAML: '],
    ['yaml', 'port: 1\nport: 2', ':2: this is not YAML: Map keys must be unique'],
  ])('for a file of %s that is %s', async (extension, content, message) => {
    const file = write(`petstore-sandbox.config.${extension}`, content)
    const error = (await resolved().catch((thrown: unknown) => thrown)) as Error
    expect(error).toBeInstanceOf(UsageError)
    expect(error.message).toContain(file)
    expect(error.message).toContain(message)
    expect(error.message).not.toContain('\n')
  })

  it.each(['latin1', 'utf16le'] as const)('for a file in the encoding %s', async (encoding) => {
    const file = join(folder, 'petstore-sandbox.config.yaml')
    writeFileSync(file, Buffer.from('host: caf\u00e9\n', encoding))
    await expect(resolved()).rejects.toThrow(`${file}: this is not UTF-8 text. Save it as UTF-8 text`)
  })

  it('for a folder with the name of a configuration file', async () => {
    mkdirSync(join(folder, 'petstore-sandbox.config.json'))
    await expect(resolved()).rejects.toThrow(
      'petstore-sandbox.config.json: it is a folder. Select another file with --config',
    )
  })

  it('for two files in one folder', async () => {
    write('petstore-sandbox.config.json', {})
    write('petstore-sandbox.config.yaml', '')
    await expect(resolved()).rejects.toThrow(/both exist\. Remove one, or select one with --config/)
  })

  it.each([
    [{ prot: 1 }, 'createSandbox: there is no option "prot". Did you mean port?'],
    [{ memory: true }, 'createSandbox: there is no option "memory"'],
    [{ listen: 'perhaps' }, 'Option listen: "perhaps" is neither true nor false'],
    [{ port: 1.5 }, 'Option port: 1.5 is not a valid port'],
    [{ now: new Date(Number.NaN) }, 'Option now: '],
    [
      { decisions: { 'get.removedOn': '2020-01-01' } },
      'Decisions: get.deprecatedSince (2025-12-05T00:00:00.000Z) is later than',
    ],
  ])('for the options %j of a module', (options, message) => {
    expect(() => checkOptions(options as unknown as SandboxOptions)).toThrow(UsageError)
    expect(() => checkOptions(options as unknown as SandboxOptions)).toThrow(message)
  })
})

describe('checkOptions', () => {
  it('the defaults of a module are memory and silent', () => {
    expect(checkOptions({})).toMatchObject({
      port: 4010,
      host: 'localhost',
      listen: true,
      log: 'silent',
      seed: 1,
    })
    expect(checkOptions({}).db).toBeUndefined()
    expect(
      checkOptions({ listen: false, now: new Date(5), limits: { free: { perMinute: 1, perDay: null } } }),
    ).toMatchObject({
      listen: false,
      now: 5,
      policy: { plans: { free: { perMinute: 1, perDay: null } } },
    })
  })
})

describe('an automatically found configuration file', () => {
  it('all its errors are reported together', async () => {
    const file = write('petstore-sandbox.config.json', {
      port: 'x',
      prot: 1,
      log: 'loud',
      decisions: { 'list.limit': 'clmp', 'list.ordr': 'newest' },
    })
    const error = await resolved().catch((error: unknown) => error)
    expect(error).toBeInstanceOf(UsageError)
    const lines = (error as Error).message.split('\n')
    expect(lines).toHaveLength(5)
    for (const line of lines) expect(line).toContain(file)
    for (const wrong of ['"prot"', '"x"', '"loud"', '"clmp"', '"list.ordr". Did you mean list.order?']) {
      expect((error as Error).message).toContain(wrong)
    }
  })

  it('in a folder above may not open the sandbox to others or replace pets, unless --config names it', async () => {
    const file = write('petstore-sandbox.config.json', {
      port: 1,
      host: '0.0.0.0',
      controlToken: 'theirs',
      fresh: true,
    })
    const below = join(folder, 'below')
    mkdirSync(below)
    await expect(resolved({}, {}, below)).rejects.toThrow(
      /config\.json: host, controlToken, fresh cannot be set in a configuration file of a parent folder.*--config/,
    )
    expect((await resolved({ config: file }, {}, below)).options).toMatchObject({ port: 1, host: '0.0.0.0' })
    expect((await resolved({}, {}, folder)).options).toMatchObject({ controlToken: 'theirs' })
  })
})
