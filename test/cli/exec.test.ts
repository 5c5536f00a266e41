import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from '../../src/cli/run.ts'
import type { Started } from '../support/program.ts'
import { folder, inFreshFolders, startProgram } from './spawn.ts'

inFreshFolders()

const start = (args: string[], env?: NodeJS.ProcessEnv): Started => startProgram(['exec', ...args], env)

async function exec(args: string[], env: NodeJS.ProcessEnv = {}) {
  const { ended, output } = start(args, env)
  return { code: await ended, ...output }
}

/** A command that runs this script, which can use `call(path, key?, init?)`. */
const script = (text: string): string[] => ['--', process.execPath, '-e', `${CALL};(async () => {${text}})()`]
/** Makes a folder in the place of a report. */
const spoil = (file: string) => `require('node:fs').mkdirSync('${file}')`
const CALL = `const call = (path, key = process.env.PETSTORE_API_KEY, init = {}) =>
  fetch(process.env.PETSTORE_BASE_URL + path, { ...init, headers: { authorization: 'Bearer ' + key, ...init.headers } })`

describe('the command', () => {
  it('finds the sandbox in its environment, and its output is passed through', async () => {
    const { code, out, err } = await exec(
      [
        '--log',
        'json',
        ...script(`const { PETSTORE_BASE_URL: base, PETSTORE_SANDBOX_URL: url } = process.env
        const [pets, health] = [await call('/pets'), await fetch(url + '/_sandbox/health')]
        console.log(JSON.stringify({ base, url, key: process.env.PETSTORE_API_KEY, other: process.env.OTHER,
          limit: pets.headers.get('x-ratelimit-limit'), health: health.status }))`),
      ],
      { OTHER: 'kept' },
    )
    const printed = JSON.parse(out)
    expect(printed.base).toMatch(/^http:\/\/localhost:\d+\/v1$/)
    expect(printed).toMatchObject({
      url: printed.base.replace('/v1', ''),
      key: 'psk_enterprise',
      limit: '10000',
      health: 200,
      other: 'kept',
    })
    expect(err).toContain('"event":"request"')
    expect(code).toBe(0)
    const quiet = await exec(script(`await call('/pets')`))
    expect(quiet.err).not.toContain('/v1/pets')
    const { err: logged } = await exec(script(`await call('/pets')`), { PETSTORE_SANDBOX_LOG: 'pretty' })
    expect(logged).toMatch(/GET +\/v1\/pets +200 +enterprise/)
  })

  it('prints the command that replays its recording in quotes where a shell needs them', async () => {
    const { err } = await exec(['--record', 'my run.jsonl', '--', 'true'])
    expect(err).toContain("  petstore-sandbox replay 'my run.jsonl'\n")
  })

  it('warns if the command removed the recording, and prints no command that replays it', async () => {
    const { err, code } = await exec(['--record', 'reports/run.jsonl', '--', 'rm', '-r', 'reports'])
    expect(err).toContain('The recording reports/run.jsonl is lost: it was removed while it was written.')
    expect(err).not.toContain('petstore-sandbox replay')
    expect(code).toBe(0)
  })

  it('leaves the ready file of the environment to the running sandbox, and so does a replay', async () => {
    const env = { PETSTORE_SANDBOX_READY_FILE: 'ready.json' }
    const ready = '{"event":"ready"}'
    writeFileSync(join(folder, 'ready.json'), ready)
    const print = `console.log(require('node:fs').readFileSync('own.json', 'utf8'))`
    const { out } = await exec(['--record', 'run.jsonl', '--ready-file', 'own.json', ...script(print)], env)
    expect(JSON.parse(out)).toMatchObject({ event: 'ready' })
    expect(await exec(['--', process.execPath, '-e', ''], env)).toMatchObject({ code: 0 })
    expect(await startProgram(['replay', 'run.jsonl'], env).ended).toBe(0)
    expect(readFileSync(join(folder, 'ready.json'), 'utf8')).toBe(ready)
  })

  it('gets a key of the given plan', async () => {
    const { out } = await exec(['--plan', 'free', ...script('console.log(process.env.PETSTORE_API_KEY)')])
    expect(out).toBe('psk_free\n')
  })

  it('runs without a shell', async () => {
    const words = ['$HOME', '*', '; exit 9', "it's", '--help', '']
    const print = 'console.log(JSON.stringify(process.argv.slice(1)))'
    const { code, out } = await exec(['--', process.execPath, '-e', print, '--', ...words])
    expect(JSON.parse(out)).toEqual(words)
    expect(code).toBe(0)
  })

  it('gets all options after its name, also those that exec has', async () => {
    const print = 'console.log(JSON.stringify(process.argv.slice(1)))'
    const { out } = await exec([
      '--plan',
      'free',
      process.execPath,
      '-e',
      print,
      'x',
      '--port',
      '5055',
      '--json',
    ])
    expect(JSON.parse(out)).toEqual(['x', '--port', '5055', '--json'])
  })

  it.each([
    ['its own', ['node', '-e', 'process.exit(7)'], 7],
    ['128 + n for a signal', ['node', '-e', 'process.kill(process.pid, "SIGKILL")'], 137],
    ['127 if there is no such command', ['no-such-command-anywhere'], 127],
    ['127 where the command is empty', [''], 127],
    ['126 for a file that may not be executed', ['./not-executable'], 126],
    ['126 for a folder', ['./'], 126],
  ])('ends exec with its exit code: %s', async (_, command, expected) => {
    writeFileSync(join(folder, 'not-executable'), '#!/bin/sh\n')
    const { code, err } = await exec(['--', ...command])
    expect(code).toBe(expected)
    const problem = { 126: 'it is not an executable file', 127: 'command not found' }[expected]
    if (problem) expect(err).toContain(`petstore-sandbox: ${command[0] || '""'}: ${problem}. `)
    expect(err).not.toMatch(/\n\s+at /)
  })

  it('ends exec with 127 if PATH has only a folder of that name', async () => {
    mkdirSync(join(folder, 'path', 'no-such-command'), { recursive: true })
    const PATH = `${join(folder, 'path')}${delimiter}${process.env.PATH}`
    const { code, err } = await exec(['--', 'no-such-command'], { PATH })
    expect(err).toContain('petstore-sandbox: no-such-command: command not found. ')
    expect(code).toBe(127)
  })

  it.skipIf(process.platform === 'win32').each(['./windows-script', 'windows-script'])(
    'ends exec with 127 and says why if the interpreter of a script is missing: %s',
    async (name) => {
      writeFileSync(join(folder, 'windows-script'), '#!/bin/sh\r\n', { mode: 0o755 })
      const { code, err } = await exec(['--', name], { PATH: `${folder}${delimiter}${process.env.PATH}` })
      expect(err).toContain(`petstore-sandbox: ${name}: its interpreter was not found. Check its first line`)
      expect(code).toBe(127)
    },
  )

  it('leaves no files, unless --db names one', async () => {
    writeFileSync(
      join(folder, 'petstore-sandbox.config.json'),
      '{"port":1,"db":"mine.json","fixture":"sold-out"}',
    )
    const add = `await call('/pets', undefined, { method: 'POST', body: '{"name":"Kit","categoryId":2}',
      headers: { 'content-type': 'application/json' } }); console.log((await (await call('/pets?limit=100')).json()).length)`
    expect((await exec(script(add))).out).toBe('13\n')
    expect(readdirSync(folder)).toEqual(['petstore-sandbox.config.json'])
    await exec(['--db', 'kept.json', ...script(add)])
    expect((await exec(['--db', 'kept.json', ...script(add)])).out).toBe('14\n')
    expect(existsSync(join(folder, 'mine.json'))).toBe(false)
  })

  it('gets the signals of exec', async () => {
    const started = start(
      script(`process.on('SIGTERM', () => { console.log('bye'); process.exit(5) })
      console.log('up'); setInterval(() => {}, 1000)`),
    )
    await started.until('up')
    started.child.kill('SIGTERM')
    expect(await started.ended).toBe(5)
    expect(started.output.out).toBe('up\nbye\n')
  })

  it('may ignore a signal and continue', async () => {
    const started = start(
      script(`process.on('SIGINT', () => { console.log('heard'); setTimeout(() => process.exit(0), 100) })
      console.log('up'); setInterval(() => {}, 1000)`),
    )
    await started.until('up')
    started.child.kill('SIGINT')
    await started.until('heard')
    expect(await started.ended).toBe(0)
  })
})

describe.skipIf(process.platform === 'win32')('a signal', () => {
  const printed = (started: Started, text: string) => expect.poll(() => started.output.err).toContain(text)

  it('before the command begins ends exec in its place, with nothing left behind', async () => {
    writeFileSync(join(folder, 'petstore-sandbox.config.json'), '{}')
    // A lock without content: the start waits for the process that writes it, until the lock is a second old.
    const lock = join(folder, 'db.json.lock')
    writeFileSync(lock, '')
    // Its time is almost a second ahead, so that a busy machine may be late by two seconds.
    const ahead = () => utimesSync(lock, new Date(), new Date(Date.now() + 900))
    const keepsFresh = setInterval(ahead, 50)
    const started = start([
      '--db',
      'db.json',
      '--ready-file',
      'ready.json',
      ...script('console.log("begun")'),
    ])
    await printed(started, 'Configuration: ').finally(() => clearInterval(keepsFresh))
    started.child.kill('SIGTERM')
    expect(await started.ended).toBe(143)
    expect(started.output.out).toBe('')
    expect(readdirSync(folder).filter((name) => /lock|ready/.test(name))).toEqual([])
  })

  it('offers no replay of a recording that is empty', async () => {
    const empty = `const fs = require('node:fs'); fs.rmSync('r.jsonl'); fs.writeFileSync('r.jsonl', ''); process.exit(5)`
    const { code, err } = await exec(['--record-on-failure', 'r.jsonl', ...script(empty)])
    expect(code).toBe(5)
    expect(err).toContain('requests 0')
    expect(err).not.toContain('r.jsonl')
  })

  it('after the command has ended changes nothing', async () => {
    const pipe = join(folder, 'report.json')
    spawnSync('mkfifo', [pipe])
    const started = start([
      '--ready-file',
      'ready.json',
      '--report',
      `json=${pipe}`,
      ...script('process.exit(4)'),
    ])
    await printed(started, 'requests 0')
    started.child.kill('SIGINT')
    expect(JSON.parse(await readFile(pipe, 'utf8')).requests).toBe(0)
    expect(await started.ended).toBe(4)
    expect(existsSync(join(folder, 'ready.json'))).toBe(false)
  })
})

describe('the process group of the command', () => {
  const isThere = (pid: number): boolean => {
    try {
      process.kill(pid, 0)
      // A zombie process no longer runs.
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
    } catch {
      return false
    }
  }
  /** The system may end a killed process a little later. */
  const isGone = (pid: number) => expect.poll(() => isThere(pid)).toBe(false)
  const IGNORES_TERM = `process.on('SIGTERM', () => {}); console.log(process.pid); setInterval(() => {}, 1000)`
  /** Starts a child that ignores SIGTERM, and runs `then` when the child is ready. */
  const leaveBehind = (then: string) =>
    script(`const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(IGNORES_TERM)}],
      { stdio: ['ignore', 'pipe', 'inherit'] })
      child.stdout.once('data', (pid) => { process.stdout.write(pid); ${then} })`)

  it('keeps the exit code of the command if the output of exec is not read', async () => {
    const started = start(script('console.log("begun"); setTimeout(() => process.exit(7), 300)'))
    await started.until('begun')
    started.child.stderr?.destroy()
    started.child.stdout?.destroy()
    expect(await started.ended).toBe(7)
  })

  it.skipIf(process.platform === 'win32')('a second signal kills processes that ignore signals', async () => {
    const ignoring = 'process.on("SIGTERM", () => {}).on("SIGINT", () => {}); setInterval(() => {}, 1000)'
    const started = start(script(`${ignoring}; console.log("begun")`))
    await started.until('begun')
    started.child.kill('SIGTERM')
    await new Promise((resolve) => setTimeout(resolve, 300))
    started.child.kill('SIGINT')
    expect(await started.ended).toBe(137)
  })

  it.skipIf(process.platform === 'win32')(
    'ends with the command, including processes that ignore SIGTERM',
    async () => {
      const { code, out } = await exec(leaveBehind('process.exit(4)'))
      expect(code).toBe(4)
      await isGone(Number(out))
    },
  )

  it.skipIf(process.platform === 'win32')('ends when exec itself fails', async () => {
    const started = start(leaveBehind(''), { NODE_OPTIONS: `--import ${JSON.stringify(CRASH)}` })
    const pid = Number(await started.until('\n'))
    expect(isThere(pid)).toBe(true)
    started.child.kill('SIGPWR')
    expect(await started.ended).toBe(1)
    expect(started.output.err).toContain('petstore-sandbox failed: by surprise')
    await isGone(pid)
  })
  /** A module that makes `exec` fail with an unexpected error at SIGPWR. */
  const CRASH = `data:text/javascript,process.argv.includes('exec') && process.on('SIGPWR', () => { throw new Error('by surprise') })`
})

describe('the report at the end', () => {
  it('goes to stderr, with the sum of all namespaces', async () => {
    const { out, err, code } = await exec(
      script(
        `await call('/pets', 'psk_pro.w1'); await call('/pets', 'psk_pro.w2'); await call('/pets/1', 'nope')`,
      ),
    )
    expect({ out, code }).toEqual({ out: '', code: 0 })
    expect(err).toBe(`
report: requests 3, calls of deprecated operations 1
answers: listPets 200: 2; getPet 401: 1; never called createPet
`)
  })

  it('includes requests of namespaces that were reset or dropped', async () => {
    const { err, code } = await exec([
      '--fail-on',
      'deprecated,invalid-request,uncovered',
      ...script(`const control = (path, method) => fetch(process.env.PETSTORE_SANDBOX_URL + '/_sandbox' + path, { method })
        await call('/pets/1'); await control('/reset', 'POST')
        await call('/pets?limit=0', 'psk_pro.w1'); await control('/namespaces/w1', 'DELETE')
        await call('/pets', 'psk_pro.w1')`),
    ])
    expect(code).toBe(3)
    expect(err).toContain('report: requests 3, calls of deprecated operations 1, invalid requests 1\n')
    expect(err).toMatch(/req_000001 GET \/v1\/pets\/1 200: getPet is deprecated\n/)
    expect(err).toMatch(/req_000001 GET \/v1\/pets\?limit=0 400 \[w1\]: Invalid parameter: limit must be/)
    expect(err).toMatch(/uncovered .*: 1\n +createPet was never called\n/)
  })

  it('has tables at a terminal', async () => {
    let talk = ''
    const same = (text: string) => text
    const paint = { dim: same, good: same, warn: same, bad: same, strong: same }
    const code = await run(['exec', '--fail-on', 'uncovered', '--', 'true'], {
      env: process.env,
      cwd: folder,
      input: process.stdin,
      out: () => {},
      talk: (text) => {
        talk += text
      },
      paint,
      talkPaint: paint,
      talksToTerminal: true,
    })
    expect(code).toBe(3)
    expect(talk).toMatch(/^\nWHAT +COUNT\nrequests +0\n/)
    expect(talk).toMatch(/\nOPERATION +ANSWERS\nlistPets +never called\n/)
  })

  it('is appended to the summary of a job, which the tests may have written to', async () => {
    const summary = join(folder, 'summary.md')
    writeFileSync(summary, '# Tests\n')
    const { code } = await exec(['--report', `markdown=${summary}`, ...script('')], {
      GITHUB_STEP_SUMMARY: summary,
    })
    expect(code).toBe(0)
    expect(readFileSync(summary, 'utf8')).toMatch(/^# Tests\n\n\S/)
  })

  it('is also written to files', async () => {
    const reports = ['json=r/a.json', 'junit=r/a.xml', 'markdown=r/a.md'].flatMap((file) => [
      '--report',
      file,
    ])
    const gates = ['--fail-on', 'deprecated,uncovered', '--fail-on', 'banned']
    const { code } = await exec([...reports, ...gates, ...script(`await call('/pets/1?b&c', 'psk_pro.w1')`)])
    expect(code).toBe(3)
    const read = (name: string) => readFileSync(join(folder, 'r', name), 'utf8')
    expect(JSON.parse(read('a.json'))).toMatchObject({
      requests: 1,
      coverage: { getPet: { 200: 1 } },
      uncovered: ['listPets', 'createPet'],
      deprecatedCalls: 1,
      ignoredInputs: { count: 2 },
    })
    expect(read('a.xml')).toMatch(/<testsuite name="petstore-sandbox exec" tests="4" failures="2" errors="0"/)
    expect(read('a.xml')).toContain('<testcase classname="gate" name="banned" time="0.000"/>')
    expect(read('a.xml')).toContain('req_000001 GET /v1/pets/1?b&amp;c 200 [w1]: getPet is deprecated')
    expect(read('a.md')).toContain('| uncovered | operations that were never called: 2 |')
    expect(read('a.md')).toMatch(/- .* req\\_000001 GET \/v1\/pets\/1\?b\\&c 200 .*: getPet is deprecated/)
  })

  it('is refused before the run if it cannot be written', async () => {
    const { code, out, err } = await exec(['--report', `junit=${folder}`, ...script('console.log("ran")')])
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(`--report: ${folder} is a folder; name a file in it`)
  })

  it('names the tests with findings: by label, or by the baggage of a request', async () => {
    const files = ['--report', 'json=a.json', '--report', 'junit=a.xml', '--report', 'markdown=a.md']
    const { err, code } = await exec(
      [
        ...files,
        ...['--fail-on', 'early-retry'],
        ...script(`const label = (label) => fetch(process.env.PETSTORE_SANDBOX_URL + '/_sandbox/label?namespace=w1',
            { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ label }) })
          const named = (name, path) => call(path, 'psk_pro.w2', { headers: { baggage: 'test.name=' + encodeURIComponent(name) } })
          await label('checkout › retries')
          for (let i = 0; i < 3; i++) await call('/pets', 'psk_limited.w1')
          await label(null); await call('/pets/1', 'psk_pro.w1')
          await named('reads: a,b', '/pets/1'); await named('is fine', '/pets')`),
      ],
      { GITHUB_ACTIONS: 'true' },
    )
    expect(code).toBe(3)
    const read = (name: string) => readFileSync(join(folder, name), 'utf8')
    expect(err).toContain('  checkout › retries: 3 requests beyond a limit, 2 early retries\n')
    expect(err).toContain('::warning title=checkout › retries::3 requests beyond a limit, 2 early retries\n')
    expect(err).toContain('::warning title=reads%3A a%2Cb::1 call of a deprecated operation\n')
    expect(err).toMatch(
      /^::error title=gate early-retry::retries before Retry-After had passed: 2%0A.* req_\d+ GET /m,
    )
    expect(err).not.toContain('is fine')
    expect(JSON.parse(read('a.json')).tests).toEqual([
      { test: 'checkout › retries', requests: 3, findings: { 'rate-limited': 3, 'early-retry': 2 } },
      { test: 'reads: a,b', requests: 1, findings: { 'deprecated-call': 1 } },
    ])
    expect(read('a.xml')).toMatch(
      /<testcase classname="test" name="checkout › retries" [^>]*>\s*<failure message="2 early retries">[^<]*<\/failure>\s*<system-out>3 requests beyond a limit\n/,
    )
    expect(read('a.xml')).toMatch(/name="reads: a,b"[^>]*>\s*<system-out>1 call of a deprecated/)
    expect(read('a.md')).toContain('| reads: a,b | 1 call of a deprecated operation |')
  })

  it('that cannot be written leaves the others', async () => {
    const files = ['json=x.json', 'json=y.json', 'json=z.json'].flatMap((file) => ['--report', file])
    const { code, err } = await exec([...files, ...script(`${spoil('x.json')};${spoil('y.json')}`)])
    expect(code).toBe(1)
    expect(err).toMatch(
      /The report x\.json could not be written.*\n.*The report y\.json could not be written/,
    )
    expect(JSON.parse(readFileSync(join(folder, 'z.json'), 'utf8'))).toMatchObject({ requests: 0 })
  })

  it('that cannot be written causes exit code 1, unless the command has failed', async () => {
    expect((await exec(['--report', 'json=x.json', ...script(spoil('x.json'))])).code).toBe(1)
    const failed = `${spoil('y.json')}; process.exit(6)`
    const { code, err } = await exec(['--report', 'json=y.json', ...script(failed)])
    expect(code).toBe(6)
    expect(err).toContain('The report y.json could not be written')
  })
})

describe('gates', () => {
  const VIOLATIONS = `
    const post = (body, key) => call('/pets', key, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    for (let i = 0; i < 63; i++) await call('/pets', 'psk_free.w1')
    await call('/pets/1'); await call('/nope'); await call('/pets?limit=0'); await call('/pets?page=2')
    await post('{"name":"Kit","categoryId":2}'); await post('{"name":"Kit","categoryId":2}')
    await call('/store/orders')`

  it('that fail cause exit code 3 and name the requests', async () => {
    const names =
      'deprecated,rate-limited,early-retry,banned,invalid-request,ignored-input,duplicate,uncovered,server-error'
    const { code, err } = await exec(['--set', 'ban.after=3', '--fail-on', names, ...script(VIOLATIONS)])
    expect(code).toBe(3)
    const at = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`
    for (const line of [
      `failed  deprecated  calls of deprecated operations: 1\n +${at} req_\\d+ GET /v1/pets/1 200: getPet is deprecated\n`,
      `failed  rate-limited  requests beyond a limit: 2\n +${at} req_000061 GET /v1/pets 429 \\[w1\\]: The limit of 60 requests per minute of psk_free is used up until `,
      `failed  early-retry  .*: 2\n +${at} req_000062 GET /v1/pets 429 \\[w1\\]: retried \\d+\\.\\d s before Retry-After had passed\n`,
      `failed  banned  bans: 1\n +${at} req_000063 GET /v1/pets 429 \\[w1\\]: With this refusal a ban begins: `,
      `failed  invalid-request  invalid requests: 2\n +${at} req_\\d+ GET /v1/nope 404: No operation has this path\\.\n +${at} req_\\d+ GET /v1/pets\\?limit=0 400: Invalid parameter: limit must be`,
      `failed  ignored-input  .*: 1\n +${at} req_\\d+ GET /v1/pets\\?page=2 200: parameter page is not known and was ignored\n`,
      `failed  duplicate  possible duplicates: 1\n +${at} req_\\d+ POST /v1/pets 201: possible duplicate of req_\\d+\n`,
      'passed  uncovered\n',
      // The 501 of an operation that is not described is not a server error.
      'passed  server-error\n',
    ]) {
      expect(err).toMatch(new RegExp(line))
    }
    expect(err).toContain('psk_free free w1 waited')
  })

  it('name the counted requests, also if a code is renamed and a described path is not found', async () => {
    const { code, err } = await exec([
      ...[
        '--set',
        'orders=404',
        '--set',
        'errors.codes=route_not_found:NO_ROUTE',
        '--fail-on',
        'invalid-request',
      ],
      ...script(`await call('/store/orders'); await call('/nope')`),
    ])
    expect(code).toBe(3)
    expect(err).toMatch(
      /failed {2}invalid-request {2}invalid requests: 2\n.* GET \/v1\/store\/orders 404: .*\n.* GET \/v1\/nope 404: /,
    )
  })

  it('decide the exit code even if a report cannot be written', async () => {
    const { code, err } = await exec([
      '--fail-on',
      'deprecated',
      '--report',
      'json=x.json',
      ...script(`${spoil('x.json')}; ${VIOLATIONS}`),
    ])
    expect(err).toContain('The report x.json could not be written')
    expect(code).toBe(3)
  })

  it('are only those of --fail-on, and the exit code of the command has precedence', async () => {
    expect((await exec(['--fail-on', 'uncovered', ...script(VIOLATIONS)])).code).toBe(0)
    expect((await exec(['--fail-on', 'deprecated', ...script(`${VIOLATIONS}; process.exit(8)`)])).code).toBe(
      8,
    )
  })

  it('uncovered ignores deprecated operations, so that it can be combined with the gate deprecated', async () => {
    const both = ['--fail-on', 'uncovered,deprecated']
    const covered = `await call('/pets'); await call('/pets', 'psk_pro', { method: 'POST', body: '{"name":"Kit","categoryId":2}', headers: { 'content-type': 'application/json' } })`
    const { code, err } = await exec([...both, ...script(covered)])
    expect(err).toContain('passed  uncovered\n')
    expect(err).not.toContain('getPet')
    expect(code).toBe(0)
  })

  it('ignore faults and forced answers', async () => {
    const { code } = await exec([
      '--fail-on',
      'server-error,rate-limited,early-retry,invalid-request',
      ...script(`const key = 'psk_pro'
        for (const code of ['503', '429', '400']) await call('/pets', key, { headers: { prefer: 'code=' + code } })
        await call('/pets', key)`),
    ])
    expect(code).toBe(0)
  })

  it('judge the pauses of each key, as text', async () => {
    const { err } = await exec([
      '--freeze',
      '--now',
      '2026-11-19T12:00:00Z',
      '--fail-on',
      'early-retry',
      ...script(`const turn = (advance) => fetch(process.env.PETSTORE_SANDBOX_URL + '/_sandbox/clock',
          { method: 'POST', body: JSON.stringify({ advance }) })
        await call('/pets', 'psk_limited')
        for (const pause of ['1s', '2s', '4s', '41800ms']) { await turn(pause); await call('/pets', 'psk_limited') }`),
    ])
    expect(err).toContain(
      'psk_limited free waited 1.0 s, 2.0 s, 4.0 s, 41.8 s after refusals in a row: growing\n',
    )
    expect(err).toContain(
      '2026-11-19T12:00:48.800Z req_000005 GET /v1/pets 429: retried 11.2 s before Retry-After had passed\n',
    )
  })
})

describe('wrong usage ends with 2 and runs nothing', () => {
  it.each([
    [
      ['--fail-on', 'depricated', '--', 'touch', 'ran'],
      /--fail-on: "depricated" is not valid\. Did you mean deprecated\? Choices: deprecated \| rate-limited/,
    ],
    [
      ['--plan', 'gold', '--', 'touch', 'ran'],
      /--plan: "gold" is not valid\. Choices: free \| pro \| business \| enterprise/,
    ],
    [['--report', 'junti=x', '--', 'touch', 'ran'], /Did you mean junit\? Use a format and a file/],
    [['--report', 'html=x', '--', 'touch', 'ran'], /junit=report\.xml/],
    [['--report', 'json=x', '--report', 'junit=./x', '--', 'touch', 'ran'], /--report: \.\/x is named twice/],
    [['--report', 'json=./r.jsonl', '--record', 'r.jsonl', '--', 'touch', 'ran'], /r\.jsonl is named twice/],
    [
      ['--report', 'json=r.jsonl', '--record-on-failure', 'r.jsonl', '--', 'touch', 'ran'],
      /r\.jsonl is named twice/,
    ],
    [
      ['--record-on-failure', 'a.txt', '--', 'touch', 'ran'],
      /--record-on-failure: "a\.txt" is not a valid name/,
    ],
    [['--report', 'json=db.json', '--db', 'db.json', '--', 'touch', 'ran'], /db\.json is named twice/],
    [['--fixture', 'nope', '--', 'touch', 'ran'], /"nope" is not a built-in fixture/],
    [['--fixture', 'bussy', '--', 'touch', 'ran'], /there is no file .*bussy\. Did you mean busy\?/],
    [['--set', 'list.limit=maybe', '--', 'touch', 'ran'], /reject \| clamp/],
    [[], /missing required argument 'command'/],
  ])('%j', async (args, message) => {
    const { code, err } = await exec(args)
    expect(err).toMatch(message)
    expect(code).toBe(2)
    expect(existsSync(join(folder, 'ran'))).toBe(false)
  })

  it('of two files for the recording', async () => {
    const args = ['--record-on-failure', 'failed.jsonl', '--', 'touch', 'ran']
    const { code, err } = await exec(args, { PETSTORE_SANDBOX_RECORD: 'all.jsonl' })
    expect(err).toContain(
      '--record-on-failure and PETSTORE_SANDBOX_RECORD both name a file for the recording',
    )
    expect(code).toBe(2)
    expect(existsSync(join(folder, 'ran'))).toBe(false)
  })
})
