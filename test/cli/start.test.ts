import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { freePort } from '../support/port.ts'
import { launch } from '../support/program.ts'
import { folder, inFreshFolders, startProgram as start } from './spawn.ts'

inFreshFolders()

/** A module that keeps the program busy for longer than a key press at each signal. */
const BUSY = `data:text/javascript,for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => { for (const end = Date.now() + 200; Date.now() < end;); })`.replace('\n', '')

const READY = /^petstore-sandbox is ready on (http:\/\/localhost:\d+\/v1)$/

describe('a start', () => {
  it('continues if the reader of the ready line closes the pipe', async () => {
    const started = start(['--port', '0', '--memory'])
    const baseUrl = READY.exec((await started.until('is ready on')).trimEnd().split('\n').at(-1) ?? '')?.[1]
    started.child.stdout?.destroy()
    for (let i = 0; i < 3; i++) {
      const response = await fetch(`${baseUrl}/pets`, { headers: { authorization: 'Bearer psk_pro' } })
      expect(response.status).toBe(200)
    }
    started.child.kill('SIGTERM')
    expect(await started.ended).toBe(0)
  })

  it.skipIf(!existsSync('/dev/full'))('serves although its output goes to a full disk', async () => {
    const ready = join(folder, 'ready.json')
    const started = launch(['--port', '0', '--db', 'db.json', '--ready-file', ready], {
      cwd: folder,
      through: ['sh', '-c', 'exec "$@" >/dev/full 2>&1', 'sh'],
    })
    await expect.poll(() => existsSync(ready)).toBe(true)
    const { baseUrl } = JSON.parse(readFileSync(ready, 'utf8'))
    const headers = { authorization: 'Bearer psk_pro' }
    for (let i = 0; i < 3; i++) expect((await fetch(`${baseUrl}/pets`, { headers })).status).toBe(200)
    started.child.kill()
    expect(await started.ended).toBe(0)
  })

  it('drops log lines that nobody reads, warns once, and still ends', async () => {
    const started = start(['--port', '0', '--memory', '--limits', 'pro=unlimited/unlimited'])
    const baseUrl = READY.exec((await started.until('is ready on')).trimEnd().split('\n').at(-1) ?? '')?.[1]
    started.child.stdout?.pause()
    const query = 'x'.repeat(8000)
    const call = () => fetch(`${baseUrl}/nope?${query}`, { headers: { authorization: 'Bearer psk_pro' } })
    for (let i = 0; i < 300; i++) await call()
    started.child.stdout?.resume()
    expect(await started.until('stdout was not read fast enough')).toMatch(
      /\n… \d+ lines? dropped: stdout was not read fast enough\n/,
    )
    started.child.stdout?.pause()
    for (let i = 0; i < 300; i++) await call()
    started.child.kill('SIGTERM')
    expect(await new Promise((resolve) => started.child.once('exit', resolve))).toBe(0)
    started.child.stdout?.resume()
  })

  it('prints one screen that ends in the ready line, serves, and ends with 0 at SIGTERM', async () => {
    const started = start(['--port', '0', '--ready-file', 'run/ready.json'])
    const out = await started.until('is ready on')
    const lines = out.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(24)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    const baseUrl = READY.exec(lines.at(-1) ?? '')?.[1] ?? ''
    for (const text of [
      'psk_enterprise',
      '1,000,000 per day',
      '.petstore-sandbox/db.json, 12 pets',
      '/_sandbox',
      `base URL  ${baseUrl}`,
    ]) {
      expect(out).toContain(text)
    }
    const [, key, url] = /curl -H "Authorization: Bearer (\w+)" (\S+)/.exec(out) ?? []
    const response = await fetch(url ?? '', { headers: { authorization: `Bearer ${key}` } })
    expect(response.status).toBe(200)
    expect(await response.json()).toHaveLength(12)
    const ready = JSON.parse(readFileSync(join(folder, 'run/ready.json'), 'utf8'))
    expect(ready).toEqual({
      event: 'ready',
      baseUrl,
      controlUrl: baseUrl.replace('/v1', '/_sandbox'),
      port: Number(new URL(baseUrl).port),
      pid: started.child.pid,
    })
    started.child.kill('SIGTERM')
    expect(await started.ended).toBe(0)
    expect(started.output.err).toBe('')
  })

  it('does not write its ready file through a link of another user', async () => {
    const started = start(['--port', '0', '--memory', '--ready-file', 'ready.json'])
    symlinkSync(join(folder, 'other'), join(folder, `ready.json.${started.child.pid}`))
    await started.until('is ready on')
    expect(existsSync(join(folder, 'other'))).toBe(false)
    expect(JSON.parse(readFileSync(join(folder, 'ready.json'), 'utf8')).event).toBe('ready')
    started.child.kill('SIGTERM')
    expect(await started.ended).toBe(0)
  })

  it('with --log json prints the ready event as its first line, then requests, and ends with 0 at SIGINT', async () => {
    const started = start(['--port', '0', '--memory', '--log', 'json'], {
      NODE_OPTIONS: `--import ${JSON.stringify(BUSY)}`,
    })
    const { baseUrl } = JSON.parse(await started.until('\n'))
    await fetch(`${baseUrl}/pets`, { headers: { authorization: 'Bearer psk_free' } })
    await started.until('"event":"request"')
    // Like npm: the terminal signals both processes, and npm also forwards its signal. Both arrive at once.
    for (const signal of ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const) started.child.kill(signal)
    expect(await started.ended).toBe(0)
    const events = started.output.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).event)
    expect(events).toEqual(['ready', 'request'])
    expect(existsSync(join(folder, '.petstore-sandbox'))).toBe(false)
  })

  it('ends at once at a second signal', async () => {
    const endless = `data:text/javascript,import net from 'node:net'; net.Server.prototype.close = () => {}`
    const started = start(['--port', '0', '--memory'], {
      NODE_OPTIONS: `--import ${JSON.stringify(endless)}`,
    })
    await started.until('is ready on')
    const signals = setInterval(() => started.child.kill('SIGINT'), 300)
    expect(await started.ended.finally(() => clearInterval(signals))).toBe(1)
  })

  it('prints the plan of a key of the configuration, the address of the document, and the changes by control calls', async () => {
    const keys = [{ key: 'psk_pro', plan: 'free' }]
    writeFileSync(join(folder, 'petstore-sandbox.config.json'), JSON.stringify({ keys }))
    const started = start(['--port', '0', '--memory', '--now', '2026-11-19T12:00:00Z', '--freeze'])
    const out = await started.until('is ready on')
    const [, origin] = /ready on (\S+)\/v1/.exec(out) ?? []
    expect(out).toContain(`openapi   ${origin}/openapi.json\n`)
    expect(out).toMatch(/psk_pro +free +60 per minute/)
    const call = (path: string, body: object) =>
      fetch(`${origin}/_sandbox/${path}`, { method: 'POST', body: JSON.stringify(body) })
    await call('clock?namespace=w1', { advance: '61s' })
    await call('seed', { count: 3 })
    await call('faults', { effect: { status: 503 } })
    await call('reset', { only: ['limits'] })
    await started.until('limits')
    expect(started.output.out.split('\n').slice(-5)).toEqual([
      '12:01:01.000 control clock 2026-11-19T12:01:01.000Z frozen [w1]',
      '12:00:00.000 control pets 3',
      '12:00:00.000 control faults 1',
      '12:00:00.000 control limits',
      '',
    ])
  })

  it('with --log silent prints the ready line and no requests', async () => {
    const started = start(['--port', '0', '--memory', '--log', 'silent'])
    const out = await started.until('is ready on')
    const [, baseUrl] = READY.exec(out.trimEnd().split('\n').at(-1) ?? '') ?? []
    await fetch(`${baseUrl}/pets`)
    started.child.kill('SIGTERM')
    await started.ended
    expect(started.output.out).toBe(out)
  })

  it('has colours only if FORCE_COLOR requests them', async () => {
    const [plain, coloured, both] = await Promise.all(
      [{}, { FORCE_COLOR: '1' }, { NO_COLOR: '1' }].map(async (env) => {
        const started = start(['--port', '0', '--memory'], env)
        return started.until('is ready on')
      }),
    )
    expect(plain).toBe(stripVTControlCharacters(plain ?? ''))
    expect(both).toBe(stripVTControlCharacters(both ?? ''))
    expect(coloured).not.toBe(stripVTControlCharacters(coloured ?? ''))
  })

  it('prints its configuration file and an unused fixture on stderr', async () => {
    writeFileSync(join(folder, 'petstore-sandbox.config.json'), '{"port": 0, "fixture": "empty"}')
    const first = start([])
    const baseUrl = READY.exec((await first.until('is ready on')).trimEnd().split('\n').at(-1) ?? '')?.[1]
    await fetch(`${baseUrl}/pets`, {
      method: 'POST',
      headers: { authorization: 'Bearer psk_pro', 'content-type': 'application/json' },
      body: '{"name":"Kit","categoryId":1}',
    })
    first.child.kill('SIGTERM')
    await first.ended
    const second = start(['--fixture', 'busy'])
    expect(await second.until('is ready on')).toContain('db.json, 1 pet\n')
    expect(second.output.err).toContain('Configuration: petstore-sandbox.config.json\n')
    expect(second.output.err).toMatch(/fixture busy was not used.*--fresh/)
  })
})

it('begins with the faults and keys of its configuration file, and a reset restores them', async () => {
  const rule = { match: { operationId: 'listPets' }, effect: { status: 503, code: 'down' }, times: 1 }
  const config = { port: 0, faults: [rule], keys: [{ key: 'ours', plan: 'business' }] }
  writeFileSync(join(folder, 'petstore-sandbox.config.json'), JSON.stringify(config))
  for (const _ of ['with an empty data file', 'with what the first left']) {
    const started = start(['--log', 'silent'])
    const baseUrl = READY.exec((await started.until('is ready on')).trimEnd().split('\n').at(-1) ?? '')?.[1]
    const call = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(`${baseUrl}${path}`, {
        ...init,
        headers: { authorization: 'Bearer ours.w1' },
      })
      return response.status
    }
    expect([await call('/pets'), await call('/pets')]).toEqual([503, 200])
    const reset = `${baseUrl}/../_sandbox/reset?namespace=w1`
    await fetch(reset, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    expect([await call('/pets'), await call('/pets')]).toEqual([503, 200])
    const body = '{"name":"Kit","categoryId":1}'
    const posted = await fetch(`${baseUrl}/pets`, {
      method: 'POST',
      headers: { authorization: 'Bearer ours', 'content-type': 'application/json' },
      body,
    })
    expect(posted.status).toBe(201)
    started.child.kill('SIGTERM')
    expect(await started.ended).toBe(0)
  }
  const suffixed = { match: { key: 'psk_pro.w1' }, effect: { status: 503 } }
  const wrong = { faults: [{ effect: { status: 200 } }, {}, suffixed], keys: [{ key: 'ours', plan: 'gold' }] }
  const file = join(folder, 'petstore-sandbox.config.json')
  writeFileSync(file, JSON.stringify(wrong, undefined, 2))
  for (const args of [['--memory'], ['exec', '--', 'true'], ['spec']]) {
    const refused = start(args)
    expect(await refused.ended).toBe(2)
    expect(refused.output.err).toContain(
      `${file}:5, faults[0]: effect.status must be an integer from 400 to 599, not 200\n${file}:8, faults[1]: effect`,
    )
    expect(refused.output.err).toContain(
      `${file}:9, faults[2]: match.key names the namespace w1, but this rule acts in every namespace; leave out .w1`,
    )
    // The keys are read only if the faults are valid.
    expect(refused.output.err).not.toContain('gold')
  }
  writeFileSync(file, JSON.stringify({ ...wrong, faults: [] }, undefined, 2))
  const badKey = start(['--memory'])
  expect(await badKey.ended).toBe(2)
  expect(badKey.output.err).toContain(
    `${file}:6, keys[0].plan must be one of free, pro, business, enterprise`,
  )
})

it('warns of a port that fetch and browsers refuse', async () => {
  const port = await freePort([10080, 6697, 6566, 4190, 4045])
  const started = start(['--memory', '--port', String(port)])
  await started.until('is ready on')
  expect(started.output.err).toContain(`Fetch and browsers refuse port ${port}`)
  started.child.kill('SIGTERM')
  expect(await started.ended).toBe(0)
})

describe('a start that is not possible has exit code 2 and one message', () => {
  const refused = async (args: string[]) => {
    const started = start(args)
    const code = await started.ended
    expect(started.output.out).toBe('')
    return { code, err: started.output.err }
  }

  it('for a port that another sandbox or another program uses', async () => {
    const first = start(['--port', '0', '--memory', '--log', 'json'])
    const { port } = JSON.parse(await first.until('\n'))
    const taken = await refused(['--port', String(port), '--memory'])
    expect(taken.code).toBe(2)
    expect(taken.err).toMatch(
      /^petstore-sandbox: Port \d+ of localhost is in use by another petstore-sandbox \(\d+\.\d+\.\d+\)\. .*--port 0 .*\n$/,
    )
    const other = createServer((socket) => socket.end('220 mail\r\n')).listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const by = await refused(['--port', String((other.address() as AddressInfo).port), '--memory'])
    other.close()
    expect(by.code).toBe(2)
    expect(by.err).toContain('is in use by another program')
  })

  it('for --fresh together with --accept-data-file', async () => {
    const { code, err } = await refused(['--port', '0', '--fresh', '--accept-data-file'])
    expect(code).toBe(2)
    expect(err).toContain('--fresh and --accept-data-file exclude each other; leave out one of them')
    const inMemory = await refused(['--port', '0', '--memory', '--accept-data-file'])
    expect(inMemory.err).toContain('--accept-data-file (acceptDataFile) needs a data file; name it with --db')
  })

  it('for a data file in use, whose owner continues', async () => {
    const first = start(['--port', '0', '--log', 'json'])
    await first.until('\n')
    const second = await refused(['--port', '0'])
    expect(second.code).toBe(2)
    expect(second.err).toContain('db.json')
    expect(second.err.trimEnd()).not.toContain('\n')
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
  })

  it('for a bad fixture, data file, host or overlay, and an invalid ready file', async () => {
    writeFileSync(join(folder, 'bad.json'), '{"pets": [{"name": "Kit"}]}')
    writeFileSync(join(folder, 'db.json'), '{"version": 1,\n"namespaces": nope}')
    writeFileSync(join(folder, 'file'), '')
    writeFileSync(
      join(folder, 'latin1.yaml'),
      Buffer.from('overlay: 1.0.0\ninfo: { title: Caf\u00e9 }\n', 'latin1'),
    )
    const results = await Promise.all([
      refused(['--memory', '--fixture', 'bad.json']),
      refused(['--db', 'db.json']),
      refused(['--memory', '--host', 'no such host']),
      refused(['--memory', '--port', '0', '--ready-file', 'file/ready.json']),
      refused(['--memory', '--overlay', 'nope.yaml']),
      refused(['--memory', '--overlay', 'latin1.yaml']),
    ])
    expect(results.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 2])
    const [fixture, data, host, ready, overlay, latin1] = results.map(({ err }) => err)
    expect(fixture).toContain('bad.json:1: pets[0].categoryId')
    expect(data).toMatch(/db\.json, line 2/)
    expect(readFileSync(join(folder, 'db.json'), 'utf8')).toContain('nope')
    expect(host).toContain('--host: "no such host" is not an address of this machine')
    expect(ready).toContain('--ready-file: file/ready.json cannot be written: ENOTDIR: not a directory. Use')
    expect(overlay).toContain('The overlay nope.yaml cannot be used')
    expect(latin1).toContain('The overlay latin1.yaml cannot be used: line 2: this is not UTF-8 text')
    for (const { err } of results) expect(err).not.toContain('    at ')
  })
})

it('a configuration file that is a link to nothing is an error', async () => {
  symlinkSync('gone.json', join(folder, 'petstore-sandbox.config.json'))
  const started = start(['--memory', '--port', '0'])
  expect(await started.ended).toBe(2)
  expect(started.output.err).toContain('petstore-sandbox.config.json')
})

it('a name that occurs twice in the configuration is an error, an overlay without effect causes a warning', async () => {
  writeFileSync(join(folder, 'petstore-sandbox.config.json'), '{"port": 0,\n"port": 0}')
  const twice = start(['--memory'])
  expect(await twice.ended).toBe(2)
  expect(twice.output.err).toContain('petstore-sandbox.config.json:2: the name "port" appears twice')
  writeFileSync(join(folder, 'petstore-sandbox.config.json'), '{"port": 0}')
  const overlay = 'overlay: 1.0.0\nactions:\n  - target: $.paths["/cats"]\n    update: { x-mine: 1 }\n'
  writeFileSync(join(folder, 'overlay.yaml'), overlay)
  const started = start(['--memory', '--overlay', 'overlay.yaml'])
  await started.until('is ready on')
  expect(started.output.err).toContain('overlay.yaml changes nothing at $.paths["/cats"]')
})

it('a data file and a fixture refuse the same ids', async () => {
  const pets = '"pets": [\n{"id":-1,"name":"Kit","categoryId":1}\n]'
  writeFileSync(join(folder, 'db.json'), `{"version": 1, "namespaces": {"default": {${pets}, "nextId": 1}}}`)
  writeFileSync(join(folder, 'pets.json'), `{${pets}}`)
  const [data, fixture] = [start(['--db', 'db.json']), start(['--memory', '--fixture', 'pets.json'])]
  expect([await data.ended, await fixture.ended]).toEqual([2, 2])
  for (const { output } of [data, fixture]) {
    expect(output.err).toMatch(/pets\[0\]\.id must be an integer \(int64\) of at least 0/)
  }
  expect(data.output.err).toContain('line 2')
})

describe('a ready file', () => {
  it('is removed at a regular stop', async () => {
    const started = start(['--port', '0', '--memory', '--ready-file', 'ready.json'])
    await started.until('is ready on')
    expect(existsSync(join(folder, 'ready.json'))).toBe(true)
    started.child.kill('SIGTERM')
    expect(await started.ended).toBe(0)
    expect(existsSync(join(folder, 'ready.json'))).toBe(false)
  })

  it.each([
    ['package.json', '{"name":"mine"}'],
    ['notes.txt', 'ready'],
    ['pets', 'x'.repeat(5000)],
  ])('that is another file, %s, is refused and not changed', async (name, text) => {
    writeFileSync(join(folder, name), text)
    const started = start(['--port', '0', '--memory', '--ready-file', name])
    expect(await started.ended).toBe(2)
    expect(started.output.err).toContain(`${name} exists and is not a ready file`)
    expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
  })

  it('whose folder cannot be created is refused at once, and so are a report, a recording and a deployment', async () => {
    const refused = [
      start(['--port', '0', '--memory', '--ready-file', '/proc/x/ready.json']),
      start(['exec', '--report', 'json=/proc/x/report.json', '--', 'true']),
      start(['exec', '--record', '/proc/x.jsonl', '--', 'true']),
      start(['deploy', 'cloudflare', '/proc/x/y']),
    ]
    expect(await Promise.all(refused.map(({ ended }) => ended))).toEqual([2, 2, 2, 2])
    expect(refused.map(({ output }) => output.err)).toEqual([
      'petstore-sandbox: --ready-file: /proc/x/ready.json cannot be written: it cannot be created there. Use another file\n',
      'petstore-sandbox: --report: /proc/x/report.json cannot be written: it cannot be created there. Use another file\n',
      'petstore-sandbox: /proc/x.jsonl cannot be written: it cannot be created there; record in another file\n',
      'petstore-sandbox: /proc/x cannot be used: no such file or directory (ENOENT). Check the path\n',
    ])
  })
})

it('a ready file of an earlier start is removed before the next one is ready', async () => {
  const file = join(folder, 'ready.json')
  writeFileSync(file, '{"event":"ready"}')
  const started = start(['--db', '/dev/null/no', '--ready-file', file])
  expect(await started.ended).toBe(2)
  expect(existsSync(file)).toBe(false)
})

it('a replay refuses a report that it cannot write, and serves nothing if writing fails', async () => {
  const recorded = start(['exec', '--record', 'run.jsonl', '--', 'true'])
  expect(await recorded.ended).toBe(0)
  const replay = (file: string) => start(['replay', 'run.jsonl', '--port', '0', '--report', `json=${file}`])
  const [refused, full] = [replay(folder), replay('/dev/full')]
  expect(await refused.ended).toBe(2)
  expect(refused.output.err).toContain(`--report: ${folder} is a folder; name a file in it`)
  expect(await full.ended).toBe(1)
  expect(full.output.err).toContain('The report /dev/full could not be written')
})

it('a replay that serves exits with 3 if a response differed', async () => {
  const list = `fetch(process.env.PETSTORE_BASE_URL + '/pets', { headers: { authorization: 'Bearer psk_pro' } })`
  expect(await start(['exec', '--record', 'run.jsonl', '--', 'node', '-e', list]).ended).toBe(0)
  const file = join(folder, 'run.jsonl')
  const served = async () => {
    const started = start(['replay', file, '--port', '0'])
    await started.until('petstore-sandbox is ready')
    started.child.kill()
    return started.ended
  }
  expect(await served()).toBe(0)
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace('"n":1,"reply":{"status":200', '"n":1,"reply":{"status":500'),
  )
  expect(await served()).toBe(3)
})

it('a replay that serves prints only JSON with --json', async () => {
  expect(await start(['exec', '--record', 'run.jsonl', '--', 'true']).ended).toBe(0)
  const started = start(['replay', 'run.jsonl', '--port', '0', '--json'])
  const lines = (await started.until('/v1')).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ commands: 0 }),
    expect.objectContaining({ event: 'ready', pid: started.child.pid }),
  ])
  started.child.kill()
  expect(await started.ended).toBe(0)
})
