import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { run, start, stopAll } from '../support/program.ts'

const folder = temporaryFolder()
afterAll(stopAll)

const guide = readFileSync(new URL('../../docs/history.md', import.meta.url), 'utf8')
const lines = /<!-- bug -->\n```sh\n([\s\S]*?)```/.exec(guide)?.[1]?.trim().split('\n') ?? []
/** The arguments of a command line of the guide. */
const argumentsOf = (line = ''): string[] => line.split(' ').slice(2)

writeFileSync(
  join(folder, 'client.mjs'),
  `const api = (method, key, body) => fetch(process.env.PETSTORE_BASE_URL + '/pets', {
    method, body, headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
  })
  const control = process.env.PETSTORE_SANDBOX_URL + '/_sandbox'
  const issued = await fetch(control + '/keys', { method: 'POST', body: '{"plan":"free"}' })
  const { key } = await issued.json()
  console.log(key)
  await api('POST', 'psk_pro', '{"name":"Kit","categoryId":2}')
  await api('GET', key)
  await api('POST', 'psk_pro', '{"name":""}')
  process.exitCode = Number(process.argv[2])`,
)

const [exec = '', replay, until, requests] = lines
let failed: Awaited<ReturnType<typeof run>>
beforeAll(async () => {
  const [command = ''] = exec.split(' -- ')
  failed = await run([...argumentsOf(command), '--', process.execPath, 'client.mjs', '1'], { cwd: folder })
})

it('records and replays a bug with five command lines', async () => {
  expect(failed.code).toBe(1)
  const recording = gunzipSync(readFileSync(join(folder, 'bug.jsonl.gz'))).toString()
  expect(recording).not.toContain(failed.out.trim().split('\n')[0])

  expect(
    await run(argumentsOf(replay), { cwd: folder, env: { TZ: 'Asia/Tokyo', LANG: 'de_DE.UTF-8' } }),
  ).toMatchObject({
    code: 0,
    out: 'Replayed 4 commands. All 4 responses are identical.\n',
  })

  const there = await start(argumentsOf(until?.replace('4010', '0')), { cwd: folder })
  const path = new URL(requests?.split(' ')[1] ?? '').pathname
  const journal = await fetch(there.origin + path).then((response) => response.json())
  expect(journal).toMatchObject([{ id: 'req_000001', status: 201 }])
  const pets = await fetch(`${there.baseUrl}/pets?limit=100`, {
    headers: { authorization: 'Bearer psk_pro' },
  })
  expect(await pets.json()).toHaveLength(13)
})

it('names the first reply that differs, and exits with 3', async () => {
  const changed = gunzipSync(readFileSync(join(folder, 'bug.jsonl.gz')))
    .toString()
    .replace('\\"id\\":13,\\"name\\":\\"Kit', '\\"id\\":13,\\"name\\":\\"Tom')
  writeFileSync(join(folder, 'changed.jsonl'), changed)
  const { code, out } = await run(['replay', 'changed.jsonl', '--report', 'junit=replay.xml'], {
    cwd: folder,
  })
  expect(
    out,
  ).toBe(`Replayed 4 commands. The first difference is the response to command 2, req_000001: POST /v1/pets
  body $.name
    was: "Tom"
    is:  "Kit"
`)
  expect(code).toBe(3)
  expect(readFileSync(join(folder, 'replay.xml'), 'utf8')).toContain('failures="1"')
})

const recordings = fileURLToPath(new URL('../recordings/', import.meta.url))

it.each(
  readdirSync(recordings)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) =>
      [
        ['UTC', 'C'],
        ['Asia/Kathmandu', 'tr_TR.UTF-8'],
        ['America/St_Johns', 'ar_EG.UTF-8'],
      ].map(([zone, locale]) => [name, zone, locale] as const),
    ),
)('replays %s to the same replies on this version of Node, in %s with %s', async (name, TZ, LANG) => {
  const env = { TZ, LANG, LC_ALL: LANG }
  const { code, out, err } = await run(['replay', join(recordings, name)], { cwd: folder, env })
  expect({ code, out, err }).toEqual({
    code: 0,
    // Also without a warning of Node.
    err: '',
    out: expect.stringMatching(/All \d+ responses are identical\.\n$/),
  })
})

it('deletes the recording of a command that succeeded', async () => {
  const passed = await run(
    ['exec', '--record-on-failure', 'passed.jsonl', '--', process.execPath, 'client.mjs', '0'],
    { cwd: folder },
  )
  expect(passed.code).toBe(0)
  expect(() => readFileSync(join(folder, 'passed.jsonl'))).toThrow()
})

it.each([
  ['hi', 'It is not a recording'],
  ['{"recording":2,"version":"9.0.0"}', 'Replay it with npx petstore-sandbox@9.0.0'],
])('refuses %s with the remedy', async (text, message) => {
  writeFileSync(join(folder, 'wrong.jsonl'), text)
  const { code, err } = await run(['replay', 'wrong.jsonl'], { cwd: folder })
  expect(code).toBe(2)
  expect(err).toContain(message)
})
