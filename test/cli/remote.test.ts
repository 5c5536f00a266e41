import { describe, expect, it } from 'vitest'
import { entry } from '../support/exchange.ts'
import { runCli, stubControl } from './run-cli.ts'

/** Runs a command line against a stub of the control API, for responses that no sandbox returns in a test. */
const answering = async (answers: Readonly<Record<string, unknown>>, ...args: string[]) => {
  await using control = await stubControl(answers)
  const ran = await runCli([...args, '--url', control.url])
  return { ...ran, calls: control.calls, url: control.url }
}

const CLOCK = { now: '2026-11-19T12:34:56.000Z', frozen: false }

it.each(['', '/', '/v1', '/_sandbox', '/_sandbox/'])(
  'the address of the sandbox may end in %j',
  async (suffix) => {
    await using control = await stubControl({ 'GET /clock': CLOCK })
    expect((await runCli(['clock'], { PETSTORE_SANDBOX_URL: control.url + suffix })).code).toBe(0)
    expect(control.calls[0]?.path).toBe('/clock')
  },
)

it.each([['requests'], ['requests', '--har']])(
  '%s %s print a notice that older entries were removed',
  async (...args) => {
    const gone = { text: '[]', headers: { 'x-sandbox-dropped': '7' } }
    const { code, err } = await answering({ 'GET /requests': gone }, ...args)
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(/^7 older entries are dropped: .*1,000/),
    })
  },
)

it('requests --har requests HAR and prints it unchanged', async () => {
  const har = { text: '{"log":{}}', type: 'application/har+json' }
  const { calls, out } = await answering({ 'GET /requests': har }, 'requests', '--har')
  expect([calls[0]?.accept, out]).toEqual(['application/har+json', '{"log":{}}\n'])
})

it('control characters of a client do not reach the terminal', async () => {
  const hostile = { ...entry({ query: 'page=2' }), path: '/v1/\u001b[2J', warnings: ['a\nb'] }
  const { out } = await answering({ 'GET /requests': [hostile] }, 'requests')
  expect(out).not.toContain('\u001b')
  expect(out.trimEnd().split('\n')).toHaveLength(2)
})

it('--json prints the response unchanged, with every digit', async () => {
  const text = '{ "pets":[{"id":9007199254740993,"name":"A","categoryId":1}],"nextId":1e3,"keys":[] }'
  expect((await answering({ 'GET /export': { text } }, 'export', '--json')).out).toBe(`${text}\n`)
})

describe('a refusal', () => {
  it.each([
    [404, 1],
    [409, 1],
    [503, 1],
    [400, 2],
  ])('of the control API with %i is its message and the exit code %i', async (status, exit) => {
    const refused = { status, text: JSON.stringify({ code: 'some_code', message: 'Because.', status }) }
    const { code, out, err } = await answering({ 'GET /faults': refused }, 'faults')
    expect({ code, out, err }).toEqual({ code: exit, out: '', err: 'petstore-sandbox: Because.\n' })
    const asJson = await answering({ 'GET /faults': refused }, 'faults', '--json')
    expect(asJson).toMatchObject({ code: exit, out: '' })
    const fix = 'See petstore-sandbox faults --help'
    expect(JSON.parse(asJson.err)).toEqual({ code: 'some_code', message: 'Because.', status, fix })
  })

  it('by a sandbox of another version names both versions', async () => {
    const text = JSON.stringify({ code: 'route_not_found', message: 'No such path.', status: 404 })
    const health = { status: 'ok', version: '0.0.9', uptimeSeconds: 1, pets: 12 }
    const { err } = await answering({ 'GET /health': health, 'GET /pets': { status: 404, text } }, 'pets')
    expect(err).toMatch(
      /^petstore-sandbox: No such path\. The sandbox has version 0\.0\.9, and this command has \d.*\. Use the same/,
    )
  })

  it.each([
    [200, '<html>'],
    [502, '<html>'],
    [404, '{"error":"nope"}'],
  ])('of another server that answers %i %s says that it is not a sandbox', async (status, text) => {
    const answer = { status, text, type: 'text/html' }
    for (const command of [['clock'], ['requests', '--follow']]) {
      const answers = { 'GET /clock': answer, 'GET /events': answer }
      const { code, err, url } = await answering(answers, ...command)
      expect(code).toBe(1)
      expect(err).toContain(`${url} answers (${status}), but not as a sandbox does`)
    }
  })

  it('of the Animal Store, to whose paths a wrong address leads, says that it is not a sandbox', async () => {
    const message = 'There is no /x/_sandbox/health here.'
    const text = JSON.stringify({ code: 'route_not_found', message, status: 404 })
    const { err, url } = await answering({ 'GET /health': { status: 404, text } }, 'clock')
    expect(err).toContain(`${url} answers (404), but not as a sandbox does`)
  })
})
