import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, run, start, stopAll } from '../support/program.ts'
import { here } from './run.ts'

afterEach(stopAll)

const CORE = new URL('../../dist/core.js', import.meta.url)

/** Prints the replies of a core, with a rewind among them. */
const USE_OF_THE_CORE = `import { createCore } from ${JSON.stringify(CORE.href)}
const core = await createCore({ now: '2026-11-19T12:34:56Z', freeze: true })
const headers = { authorization: 'Bearer psk_pro', 'content-type': 'application/json' }
const post = (path, body) => core.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
const list = () => core.fetch('/v1/pets', { headers })
const replies = [await list(), await post('/v1/pets', { name: 'Kit', categoryId: 2 }), await post('/v1/pets', {})]
replies.push(await post('/_sandbox/rewind', { to: 'req_000002' }), await list())
for (const reply of replies) console.log(reply.status, await reply.text(), reply.headers.get('x-ratelimit-remaining'))
`

/**
 * The program in the package that npm has chosen for this machine. The `bin` of the main package is a script that needs
 * an installation script, or that does not pass signals on.
 */
function binaryIn(scope: string, path: string): string {
  const [name = ''] = readdirSync(here(`node_modules/${scope}`))
  return here(`node_modules/${scope}/${name}/${path}`)
}

describe.each([
  ['Bun', [binaryIn('@oven', 'bin/bun'), 'run']],
  ['Deno', [binaryIn('@deno', 'deno'), 'run', '--allow-all']],
])('%s', (_name, runtime) => {
  it('runs the core with the replies of Node', () => {
    const script = join(temporaryFolder(), 'core.mjs')
    writeFileSync(script, USE_OF_THE_CORE)
    const outputOf = ([file = '', ...words]: readonly string[]) =>
      spawnSync(file, [...words, script], { encoding: 'utf8' })
    const expected = outputOf([process.execPath])
    expect(expected.stdout.split('\n').map((line) => line.slice(0, 3))).toEqual([
      '200',
      '201',
      '400',
      '200',
      '200',
      '',
    ])
    expect(outputOf(runtime)).toMatchObject({ stdout: expected.stdout, stderr: '', status: 0 })
  })

  it('serves the interface, breaks connections, loses no pet if it is killed, and replays its recording', async () => {
    const cwd = temporaryFolder()
    const options = ['--port', '0', '--db', 'db.json']
    const killed = await start([...options, '--record', 'run.jsonl'], { cwd, runtime })
    const checked = await run(['contract', killed.baseUrl, '--allow-writes', '--json'], { cwd })
    expect(checked, checked.out).toMatchObject({ code: 0 })
    expect((await send(killed, '/v1/pets', { name: 'Kit', categoryId: 2 })).status).toBe(201)
    for (const wire of ['reset', 'empty']) {
      await send(killed, '/_sandbox/faults', { match: {}, effect: { wire }, times: 1 })
      await expect(send(killed, '/v1/pets', { name: 'Lost', categoryId: 2 })).rejects.toThrow()
    }
    const pets = await petsOf(killed)
    await killed.stop('SIGKILL')
    const again = await start(options, { cwd, runtime })
    expect(await petsOf(again)).toEqual(pets)
    expect(await again.stop()).toBe(0)
    const replayed = await run(['replay', 'run.jsonl'], { cwd, runtime })
    expect(replayed, replayed.out).toMatchObject({ code: 0 })
    expect(replayed.out).toMatch(/All \d+ responses are identical/)
  })

  it('trusts the certificate of the guide, at each address of this machine', async () => {
    const cwd = temporaryFolder()
    const guide = readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8')
    const [command = ''] = /^openssl req (?:.*\\\n)*.*$/m.exec(guide) ?? []
    expect(spawnSync(command, { cwd, shell: true })).toMatchObject({ status: 0 })
    const served = await start(['--port', '0', '--memory', '--cert', 'cert.pem', '--key', 'key.pem'], { cwd })
    const { port } = new URL(served.baseUrl)
    const urls = ['localhost', '127.0.0.1', '[::1]'].map((host) => `https://${host}:${port}/openapi.json`)
    const script = join(cwd, 'call.mjs')
    writeFileSync(script, `for (const url of ${JSON.stringify(urls)}) console.log((await fetch(url)).status)`)
    const env = { ...process.env, DENO_CERT: 'cert.pem', NODE_EXTRA_CA_CERTS: 'cert.pem' }
    const [file = '', ...words] = runtime
    const called = spawnSync(file, [...words, script], { cwd, env, encoding: 'utf8' })
    expect(called).toMatchObject({ stdout: '200\n200\n200\n', stderr: '' })
  })

  it('starts in the background, and is stopped', async () => {
    const options = { cwd: temporaryFolder(), runtime }
    expect(await run(['start', '--detach', '--port', '0', '--memory'], options)).toMatchObject({
      code: 0,
      out: expect.stringContaining('is ready on '),
      err: '',
    })
    expect(await run(['stop'], options)).toMatchObject({ code: 0, err: '' })
  })
})

const headers = { authorization: 'Bearer psk_business', 'content-type': 'application/json' }

// fetch may wait for ever for a connection that was closed.
const send = ({ origin }: Program, path: string, body: unknown): Promise<Response> =>
  fetch(`${origin}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(5000),
  })

const petsOf = async ({ origin }: Program): Promise<unknown> =>
  (await (await fetch(`${origin}/_sandbox/export`)).json()).pets
