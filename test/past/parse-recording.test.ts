import { describe, expect, it } from 'vitest'
import { RecordingReader } from '../../src/past/parse-recording.ts'
import { RecordingError } from '../../src/past/recording.ts'
import { HEAD } from './head.ts'
import { parseRecording } from './parsed.ts'

const request = { method: 'GET', target: '/v1/pets', headers: ['A', '1'] }
const reply = { status: 200, headers: [], body: '[]' }

const parsed = (...lines: unknown[]) =>
  parseRecording(
    [HEAD, ...lines].map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  )

describe('the lines of a recording', () => {
  it('are commands, replies, changes by other namespaces, and its end', () => {
    const keys = [{ key: 'a', plan: 'pro' }]
    const setBack = { from: 7, at: -3 }
    const found = parsed(
      { n: 1, at: 5, request },
      { n: 1, reply },
      { at: 6, keys },
      setBack,
      { end: 1, at: 9 },
      '',
    )
    expect(found.commands).toEqual([{ n: 1, at: 5, request, replied: 0 }])
    expect(found.replies.get(1)).toEqual(reply)
    expect(found.changes).toEqual([
      { after: 1, at: 6, keys, replied: 1 },
      { after: 1, ...setBack, replied: 1 },
    ])
    expect(found.endedAt).toBe(9)
  })

  it.each(['', '\n'])('may end with an incomplete one', (end) => {
    const found = parsed({ n: 1, at: 5, request }, `{"n":1,"rep${end}`)
    expect([found.commands.length, found.replies.size, found.endedAt]).toEqual([1, 0, undefined])
  })

  it.each(['{"n":1,"rep', '<<<<<<< HEAD', '7'])('cannot follow %j', (damaged) => {
    expect(() => parsed({ n: 1, at: 5, request }, damaged, { n: 1, reply })).toThrow('Line 3 is damaged')
  })

  it('may refer to an earlier body; a reference to an unknown one means no body', () => {
    const short = { status: 200, headers: [] }
    const found = parsed(
      { n: 1, reply },
      { n: 2, reply: short, bodyOf: 1 },
      { n: 3, reply: short, bodyOf: 7 },
    )
    expect([2, 3].map((n) => found.replies.get(n))).toEqual([reply, short])
  })

  it('may refer to earlier header fields, with some values changed', () => {
    const fields = ['A', '1', 'B', '2', 'A', '3']
    const found = parsed(
      { n: 1, at: 5, request: { ...request, headers: fields } },
      { n: 1, reply: { ...reply, headers: ['C', '4'] } },
      { n: 2, at: 6, request: { ...request, headers: ['B', '9'] }, headersOf: 1 },
      { n: 2, reply, headersOf: 1 },
      { n: 3, at: 7, request: { ...request, headers: [] }, headersOf: 2 },
    )
    expect(found.commands.map(({ request: { headers } }) => headers)).toEqual([
      fields,
      ['A', '1', 'B', '9', 'A', '3'],
      ['A', '1', 'B', '9', 'A', '3'],
    ])
    expect(found.replies.get(2)).toEqual({ ...reply, headers: ['C', '4'] })
    expect(() => parsed({ n: 1, at: 5, request, headersOf: 7 })).toThrow(
      'It refers to the header fields of message 7, which is missing; record again',
    )
  })

  it('may refer to an earlier request, with its header fields', () => {
    const found = parsed(
      { n: 1, at: 5, request: { ...request, headers: ['A', '1'] } },
      { n: 2, at: 6, request: { ...request, headers: ['A', '2'], body: 'x' }, headersOf: 1 },
      { n: 3, at: 7, requestOf: 2 },
      { n: 4, at: 8, requestOf: 3 },
    )
    const same = { ...request, headers: ['A', '2'], body: 'x' }
    expect(found.commands.slice(2)).toEqual([
      { n: 3, at: 7, request: same, replied: 0 },
      { n: 4, at: 8, request: same, replied: 0 },
    ])
    expect(() => parsed({ n: 1, at: 5, requestOf: 7 })).toThrow(
      'It refers to the request of message 7, which is missing; record again',
    )
  })

  it('cannot begin another recording, whose requests would be replayed on the state of the first', () => {
    const joined = () => parsed({ end: 0, at: 5 }, HEAD, { n: 1, at: 5, request })
    expect(joined).toThrow('Line 3 begins another recording; replay each by itself')
  })

  it('refuses a second request with the number of an earlier one, whose response would be that of both', () => {
    expect(() => parsed({ n: 1, at: 5, request }, { n: 1, reply }, { n: 1, at: 6, request })).toThrow(
      'Line 4 has the number 1 of an earlier request; give each request, with its response, a number of its own',
    )
  })

  it.each<[string, object]>([
    ['a number that is none', { n: '1', at: 5, request }],
    ['no end of a header field', { n: 1, at: 5, request: { ...request, headers: ['A'] } }],
    ['a header field that is not text', { n: 1, at: 5, request: { ...request, headers: ['A', 1] } }],
    ['no method', { n: 1, at: 5, request: { ...request, method: undefined } }],
    ['a body that is not text', { n: 1, reply: { ...reply, body: {} } }],
    ['a body that is not Base64', { n: 2, at: 5, request: { ...request, base64: '%eyJ9' } }],
    ['no status', { n: 1, reply: { headers: [] } }],
    ['null as a request', { n: 1, at: 5, request: null }],
    ['keys that are not a list', { at: 5, keys: {} }],
    ['null as a key', { at: 5, keys: [null] }],
    ['a key without a name', { at: 5, keys: [{ plan: 'pro' }] }],
  ])('that are invalid are refused with their number: %s', (_, line) => {
    expect(() => parsed({ n: 1, at: 5, request }, line)).toThrow(
      'Line 3 is not a line of a recording; record again',
    )
  })
})

describe('the first line', () => {
  const first = (members: object) => () => parseRecording(JSON.stringify({ ...HEAD, ...members }))

  it.each(['', 'null', '[]', '{}', '{"recording":"1"}', '\u0000'])(
    '%j is not the first line of a recording',
    (text) => {
      expect(() => parseRecording(text)).toThrow(RecordingError)
      expect(() => parseRecording(text)).toThrow('It is not a recording')
    },
  )

  it('is recognised although it is cut off or damaged', () => {
    const line = JSON.stringify(HEAD)
    const damaged = line.replace('"version":', '"version":99')
    for (const text of [line.slice(0, 15), line.slice(0, 100), line.slice(0, -1), damaged])
      expect(() => parseRecording(text)).toThrow('Its first line is cut off or damaged; get the file again')
  })

  it('of a newer format causes an error with the version that reads it', () => {
    expect(first({ recording: 2 })).toThrow('Replay it with npx petstore-sandbox@9.9.9')
    expect(first({ recording: 2, version: undefined })).toThrow('npx petstore-sandbox@latest')
    for (const version of [{ toString: 1 }, 'https://a.test/b.tgz', '1.0.0; reboot', 'npm:other@1.0.0'])
      expect(first({ recording: 2, version })).toThrow('npx petstore-sandbox@latest')
  })

  it.each([
    { startedAt: 'yesterday' },
    { startedAt: 7 },
    { at: 'x' },
    { at: 1e300 },
    { at: 1e15 * 9 },
    { waiting: {} },
    { options: null },
    { start: null },
    { start: { fixture: { pets: {}, keys: [] }, namespaces: {} } },
    { start: { fixture: { pets: [], keys: [] }, namespaces: null } },
  ])('is complete and valid: not %j', (members) => {
    expect(first(members)).toThrow('Its first line is incomplete or damaged')
  })

  it('keeps every digit of its pets', () => {
    const text = JSON.stringify(HEAD).replace(
      '"pets":[]',
      '"pets":[{"id":9007199254740993,"name":"a","categoryId":1}]',
    )
    expect(parseRecording(text).head.start.fixture.pets[0]?.id).toBe(9007199254740993n)
  })
})

describe('the memory of a recording', () => {
  /** The number of these lines that are read before one is refused; `line` gets the index. */
  const readOf = (count: number, most: number, line: (i: number) => object | string) => {
    const reader = new RecordingReader(most)
    reader.read(JSON.stringify(HEAD))
    const text = (i: number) => {
      const made = line(i)
      return typeof made === 'string' ? made : JSON.stringify(made)
    }
    for (let i = 0; i < count; i++) {
      try {
        reader.read(text(i))
      } catch (error) {
        expect(error).toBeInstanceOf(RecordingError)
        expect(`${error}`).toMatch(
          /Its first [\d,]+ lines take more than 1 MiB of memory, which is the limit; record less/,
        )
        return i
      }
    }
    return count
  }
  const MIB = 2 ** 20
  const many = Array.from({ length: 2000 }, (_, i) => `x${i}`)

  it('is bounded for header fields that repeat earlier ones', () => {
    const first = { n: 0, at: 0, request: { ...request, headers: many } }
    const next = (i: number) => ({
      n: i,
      at: i,
      request: { ...request, headers: ['x0', `${i}`] },
      headersOf: 0,
    })
    expect(readOf(10_000, MIB, (i) => (i === 0 ? first : next(i)))).toBeLessThan(MIB / (8 * many.length))
  })

  it('is bounded for requests that repeat earlier ones', () => {
    const next = (i: number) => (i === 0 ? { n: 0, at: 0, request } : { n: i, at: i, requestOf: 0 })
    expect(readOf(10_000, MIB, next)).toBeLessThan(MIB / 200)
  })

  it('is bounded for the values of a line, before it is parsed', () => {
    expect(readOf(1, MIB, () => `{"n":[${'[],'.repeat(50_000)}[]]}`)).toBe(0)
    // Brackets and commas within a string do not count.
    expect(readOf(1, MIB, () => ({ n: 1, reply: { ...reply, body: '[],"\\'.repeat(50_000) } }))).toBe(1)
  })

  it('is zero for lines without data', () => {
    expect(readOf(100_000, MIB, () => ({ end: 1 }))).toBe(100_000)
  })

  it('is shared by messages with the same header fields', () => {
    const { commands } = parsed(
      { n: 1, at: 0, request: { ...request, headers: many } },
      { n: 2, at: 1, request: { ...request, headers: [] }, headersOf: 1 },
    )
    expect(commands[1]?.request.headers).toBe(commands[0]?.request.headers)
  })
})
