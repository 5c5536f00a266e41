import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/compose/sandbox.ts'
import { animalStoreContract } from '../../src/contract/animal-store.ts'
import { loadFixture } from '../../src/node/files/load.ts'
import { runCli } from './run-cli.ts'
import { folder, inFreshFolders, startProgram } from './spawn.ts'

const { petShape } = animalStoreContract()

inFreshFolders()
let service: Sandbox

beforeEach(async () => {
  service = await createSandbox({ port: 0 })
})
afterEach(async () => {
  await service.close()
})

/** Starts a proxy as a child process and waits for its ready line. */
async function start(args: string[], baseUrl = service.baseUrl) {
  const started = startProgram(['proxy', baseUrl, '--port', '0', ...args])
  const out = await started.until('is ready on')
  const url = /is ready on (\S+)\n$/.exec(out)?.[1] ?? ''
  const send = (path: string, key = 'psk_pro') =>
    fetch(url + path, { headers: { Authorization: `Bearer ${key}` } })
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    started.child.kill(signal)
    return { code: await started.ended, ...started.output }
  }
  return { out, send, stop, url }
}

describe('proxy', () => {
  it('prints its address, logs requests, and ends with 0', async () => {
    const { out, send, stop, url } = await start(['--ready-file', 'ready.json', '--fail-on-violation'])
    expect(out).toContain(`service   ${service.baseUrl}\n`)
    expect(JSON.parse(readFileSync(join(folder, 'ready.json'), 'utf8'))).toMatchObject({ baseUrl: url })
    expect(await (await send('/pets?limit=1')).json()).toHaveLength(1)
    const stopped = await stop('SIGINT')
    expect(stopped.out).toMatch(/GET +\/v1\/pets\?limit=1 +200 +key +299 left/)
    expect(stopped.err).toBe(`\n1 request to ${service.baseUrl}, 0 violations of the interface\n`)
    expect(stopped.code).toBe(0)
  })

  it('prints violations when they happen and at the end, and exits with 3 with --fail-on-violation', async () => {
    const reports = ['junit=p.xml', 'json=p.json', 'markdown=p.md'].flatMap((file) => ['--report', file])
    const { send, stop } = await start(['--log', 'silent', '--fail-on-violation', ...reports])
    await send('/pets?limit=0')
    await send('/pets?limit=0')
    await send('/nope')
    const { code, out, err } = await stop()
    expect(code).toBe(3)
    expect(out).toMatch(/is ready on \S+\n$/)
    expect(
      err,
    ).toBe(`violation  req_000001 GET /v1/pets?limit=0 400: Request query limit must be an integer from 1 to 100
violation  req_000002 GET /v1/pets?limit=0 400: Request query limit must be an integer from 1 to 100
violation  req_000003 GET /v1/nope 404: GET /nope is not in the interface

3 requests to ${service.baseUrl}, 3 violations of the interface
     2 × listPets: Request query limit must be an integer from 1 to 100 (first: req_000001 GET /v1/pets?limit=0 400)
     1 × GET: GET /nope is not in the interface (first: req_000003 GET /v1/nope 404)
`)
    const read = (name: string) => readFileSync(join(folder, name), 'utf8')
    expect(read('p.xml')).toContain('tests="2" failures="2"')
    expect(read('p.xml')).toContain(
      '<failure message="2 times">first: req_000001 GET /v1/pets?limit=0 400</failure>',
    )
    expect(JSON.parse(read('p.json'))).toMatchObject({
      requests: 3,
      violations: [{ count: 2 }, { count: 1 }],
    })
    expect(read('p.md')).toContain('| 2 | listPets | Request query limit must be an integer from 1 to 100 |')
  })

  it('takes a key of the service with dots as a whole, which names no namespace', async () => {
    const { send, stop, url } = await start(['--log', 'silent'])
    await send('/pets', 'sk.live.abc')
    await send('/pets', 'sk.live.other')
    const { origin } = new URL(url)
    const { code, out, err } = await runCli(['requests', '--url', origin, '--key', 'sk.live.abc', '--json'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(JSON.parse(out)).toMatchObject([{ id: 'req_000001', namespace: 'default' }])
    const named = ['requests', '--url', origin, '--key', 'sk.live.abc', '--namespace', 'default', '--json']
    expect(await runCli(named)).toMatchObject({ code: 0, out })
    expect(
      (await runCli(['faults', 'add', '--url', origin, '--key', 'sk.live.abc', '--status', '503'])).code,
    ).toBe(0)
    expect((await send('/pets', 'sk.live.abc')).status).toBe(503)
    // No key creates another namespace.
    const { err: refusal } = await runCli(['requests', '--url', origin, '--namespace', 'live'])
    expect(refusal).toContain(
      'Namespaces: default. A proxy has all requests in default, whatever their keys; leave out the namespace\n',
    )
    await stop()
  })

  it('exits with 3 with --fail-on-violation if the service did not answer, also after SIGHUP', async () => {
    const { send, stop } = await start(
      ['--fail-on-violation', '--report', 'junit=p.xml'],
      'http://127.0.0.1:1/v1',
    )
    expect((await send('/pets')).status).toBe(502)
    const { code, err } = await stop('SIGHUP')
    expect(code).toBe(3)
    expect(err).toContain('0 violations of the interface, 1 request without a response of the service\n')
    expect(readFileSync(join(folder, 'p.xml'), 'utf8')).toContain('failures="1"')
  })

  it('prints violations and exits with 0 without --fail-on-violation', async () => {
    const { send, stop } = await start([])
    await send('/nope')
    expect((await stop()).code).toBe(0)
  })

  it.each(['json', 'yaml', 'csv'])('records the animals as a %s fixture', async (form) => {
    const file = join(folder, `seen.${form}`)
    writeFileSync(file, 'what was there before')
    const { send, stop } = await start(['--record', `seen.${form}`])
    await service.seed({ fixture: 'edge-cases' })
    await send('/pets?limit=100')
    expect((await stop()).err).toContain(`seen.${form} contains the `)
    const { pets } = await service.export()
    const recorded = await loadFixture(file, petShape)
    const isKept = ({ name }: Readonly<Record<string, unknown>>) =>
      form !== 'csv' || !String(name).includes('\0')
    expect(recorded.pets).toEqual(pets.filter(isKept))
    expect(recorded.pets.length < pets.length).toBe(form === 'csv')
    expect(readdirSync(folder)).toEqual([`seen.${form}`])
  })

  it('creates the folder of the fixture, and still judges if that is not possible', async () => {
    const judged = ['--fail-on-violation', '--report', 'json=report.json']
    const kept = await start(['--record', 'made/seen.json', ...judged])
    for (const path of ['/pets', '/pets?limit=0']) await kept.send(path)
    expect((await kept.stop()).code).toBe(3)
    expect(readdirSync(join(folder, 'made'))).toEqual(['seen.json'])
    const lost = await start(['--record', 'taken/seen.json', ...judged])
    rmSync(join(folder, 'taken'), { recursive: true })
    writeFileSync(join(folder, 'taken'), '')
    for (const path of ['/pets', '/pets?limit=0']) await lost.send(path)
    const { code, err } = await lost.stop()
    expect([code, err.includes('taken')]).toEqual([3, true])
  })

  it('does not change a fixture if there was nothing to record', async () => {
    const file = join(folder, 'seen.json')
    writeFileSync(file, 'what was there before')
    const { send, stop } = await start(['--record', 'seen.json'])
    expect((await send('/pets', 'nope')).status).toBe(401)
    expect((await stop()).err).toContain('seen.json was not written')
    expect(readFileSync(file, 'utf8')).toBe('what was there before')
  })

  it('takes its control token from the command line, and fault rules through its control API', async () => {
    const { send, stop, url } = await start(['--control-token', 'open-sesame'])
    const control = ['--url', url, '--control-token', 'open-sesame']
    const added = await runCli(['faults', 'add', '--status', '500', '--times', '1', ...control])
    expect(added).toMatchObject({ code: 0, err: '' })
    expect([(await send('/pets')).status, (await send('/pets')).status]).toEqual([500, 200])
    const { out } = await runCli(['requests', '--json', ...control])
    expect(JSON.parse(out)).toMatchObject([{ decision: 'fault:fault_1' }, { decision: 'served' }])
    expect((await runCli(['report', '--url', url])).code).toBe(1)
    await stop()
  })

  it('refuses commands about state, which its service has, and resets what it has', async () => {
    const { stop, url } = await start([])
    const run = (words: string) => runCli([...words.split(' '), '--url', url])
    const state = ['seed busy', 'pets', 'export', 'keys', 'limits psk_pro', 'snapshot', 'fork w2', 'record']
    for (const words of [...state, 'reset pets']) {
      const { code, err } = await run(words)
      expect([words, code]).toEqual([words, 1])
      expect(err).toContain('A proxy has no pets, keys, limits or earlier states: the service has them.')
    }
    expect((await run('faults add --status 500')).code).toBe(0)
    expect((await run('reset')).out).toBe('Reset clock, faults, requests of namespace default.\n')
    await stop()
  })
})

describe('wrong usage ends with 2', () => {
  it.each([
    [[], 'baseUrl'],
    [['localhost:4010'], 'is not a valid base URL'],
    [['ftp://localhost/v1'], 'is not a valid base URL'],
    [['http://user:secret@localhost/v1'], 'use only scheme, host, port and path'],
    [
      ['http://localhost/v1', '--record', 'seen.txt'],
      '"seen.txt" is not a fixture file; use a name that ends in .json, .yaml, .yml or .csv',
    ],
    [
      ['http://localhost/v1', '--record', '/dev/null/seen.json'],
      '--record: /dev/null/seen.json cannot be written: ',
    ],
    [['http://localhost/v1', '--latency', 'slow'], '--latency'],
    [['http://localhost/v1', '--port', '70000'], 'from 0 to 65535'],
    [['http://localhost/v1', '--db', 'x.json'], "unknown option '--db'"],
  ])('%j', async (args, message) => {
    const { code, err } = await runCli(['proxy', ...args], {}, folder)
    expect(err).toContain(message)
    expect(code).toBe(2)
  })

  it('for a port that is in use', async () => {
    const { code, err } = await runCli(
      ['proxy', 'http://localhost:9/v1', '--port', String(service.port)],
      {},
      folder,
    )
    expect(err).toContain(`Port ${service.port} of localhost is in use by another petstore-sandbox`)
    expect(code).toBe(2)
    expect(existsSync(join(folder, '.petstore-sandbox'))).toBe(false)
  })
})
