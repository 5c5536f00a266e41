import fc from 'fast-check'
import { expect, it } from 'vitest'
import { recordedLines } from '../../src/past/recorded-lines.ts'
import { AS_IT_IS } from '../../src/world/keys/redaction.ts'
import { Secrets } from '../../src/world/keys/secrets.ts'
import { HEAD } from './head.ts'
import { parseRecording } from './parsed.ts'

const name = fc.constantFrom('A', 'B', 'constructor', '__proto__')
const headers = fc.oneof(
  fc.constant(['A', '1']),
  fc
    .array(fc.tuple(name, fc.constantFrom('1', '2', 'A', '')), { maxLength: 5 })
    .map((fields) => fields.flat()),
)
const body = fc.constantFrom(undefined, 'short', 'x'.repeat(300), 'y'.repeat(300))
const exchange = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  target: fc.constantFrom('/v1/pets', '/v1/pets/7'),
  sent: fc.constantFrom(undefined, '', 'a', 'b', 'x'.repeat(20_000)),
  tooLarge: fc.boolean(),
  status: fc.constantFrom(200, 201),
  headers,
  body,
})

it('lines that refer to earlier ones are read back unchanged', () => {
  fc.assert(
    fc.property(fc.array(exchange, { maxLength: 30 }), fc.nat(30), (sent, restartAt) => {
      let lines = recordedLines(0, AS_IT_IS)
      const texts: object[] = []
      const from = Math.min(restartAt, sent.length)
      for (const [i, { method, target, sent: text, tooLarge, status, headers, body }] of sent.entries()) {
        if (i === from) {
          lines = recordedLines(0, AS_IT_IS)
          texts.length = 0
        }
        const request = {
          method,
          target,
          headers,
          body: text === undefined ? undefined : Buffer.from(text),
          tooLarge,
          address: undefined,
        }
        texts.push(lines.command({ n: i + 1, at: i, request }))
        texts.push(lines.reply(i + 1, { status, headers, body }))
      }
      const { commands, replies } = parseRecording(
        [HEAD, ...texts].map((line) => JSON.stringify(line)).join('\n'),
      )
      const expected = sent.slice(from === sent.length ? 0 : from)
      expect(commands.map(({ request }) => request)).toEqual(
        expected.map(({ method, target, headers, sent: text, tooLarge }) => ({
          method,
          target,
          headers,
          ...(tooLarge && { tooLarge }),
          ...(text !== undefined && { body: text }),
        })),
      )
      expect([...replies.values()]).toEqual(
        expected.map(({ status, headers, body }) => ({
          status,
          headers,
          ...(body !== undefined && { body }),
        })),
      )
    }),
  )
})

it('a request that repeats is written once, unless its body is long', () => {
  const lines = recordedLines(0, AS_IT_IS)
  const line = (n: number, body: string) => {
    const message = { method: 'POST', target: '/v1/pets', headers: ['Host', 'a'], body: Buffer.from(body) }
    return lines.command({
      n,
      at: n,

      request: { ...message, tooLarge: false, address: undefined },
    })
  }
  expect([line(1, '{}').requestOf, line(2, '{}'), line(3, '[]').requestOf]).toEqual([
    undefined,
    { n: 2, at: 2, requestOf: 1 },
    undefined,
  ])
  const long = 'x'.repeat(17 * 1024)
  expect([line(4, long).requestOf, line(5, long).requestOf]).toEqual([undefined, undefined])
})

it('only changed values of repeated header fields are written', () => {
  const lines = recordedLines(0, AS_IT_IS)
  const line = (n: number, id: string) =>
    lines.reply(n, { status: 200, headers: ['Date', 'now', 'X-Request-Id', id], body: undefined })
  expect(line(1, 'a')).toEqual({
    n: 1,
    reply: { status: 200, headers: ['Date', 'now', 'X-Request-Id', 'a'] },
  })
  expect(line(2, 'b')).toEqual({ n: 2, reply: { status: 200, headers: ['X-Request-Id', 'b'] }, headersOf: 1 })
})

it('a key that became known later has its pseudonym, even if nothing else has changed', () => {
  const secrets = new Secrets()
  const lines = recordedLines(0, secrets.pseudonyms)
  const command = (n: number) =>
    lines.command({
      n,
      at: 0,

      request: {
        method: 'GET',
        target: '/v1/pets',
        headers: ['X-Trace', 'of team-key-1'],
        body: undefined,
        tooLarge: false,
        address: undefined,
      },
    })
  const reply = (n: number) => {
    const body = `{"name":"team-key-1","padding":"${'x'.repeat(300)}"}`
    return lines.reply(n, { status: 200, headers: [], body }).reply as { readonly body?: string }
  }
  expect([command(1).request?.headers, command(2).requestOf]).toEqual([['X-Trace', 'of team-key-1'], 1])
  expect([reply(1).body, reply(2).body]).toEqual([expect.stringContaining('team-key-1'), undefined])
  secrets.add(['team-key-1'])
  expect(command(3).request?.headers).toEqual(['X-Trace', expect.not.stringContaining('team-key-1')])
  expect(reply(3).body).toEqual(expect.not.stringContaining('team-key-1'))
})
