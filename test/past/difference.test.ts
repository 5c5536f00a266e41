import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pathOfDifference, replyDifference } from '../../src/past/difference.ts'
import type { RecordedReply } from '../../src/past/recording.ts'

const reply = (body?: string, headers: string[] = [], members: object = {}): RecordedReply => ({
  status: 200,
  headers,
  ...(body !== undefined && { body }),
  ...members,
})

describe('the first difference of two replies', () => {
  it.each<[string, RecordedReply, RecordedReply, object]>([
    ['status', reply('a'), { ...reply('b'), status: 404 }, { where: 'status', was: '200', is: '404' }],
    [
      'connection',
      reply('a'),
      reply('a', [], { wire: 'reset' }),
      { where: 'connection', was: 'whole', is: 'reset' },
    ],
    [
      'a member',
      reply('[{"id":1,"name":"Rex"}]'),
      reply('[{"id":1,"name":"Łódź"}]'),
      { where: 'body $[0].name', was: '"Rex"', is: '"Łódź"' },
    ],
    [
      'a digit that no double holds',
      reply('{"id":9007199254740993}'),
      reply('{"id":9007199254740992}'),
      { where: 'body $.id', was: '9007199254740993', is: '9007199254740992' },
    ],
    ['a type', reply('{"a":[]}'), reply('{"a":{}}'), { where: 'body $.a', was: '[]', is: '{}' }],
    ['a member more', reply('{}'), reply('{"a":null}'), { where: 'body $.a', was: null, is: 'null' }],
    [
      'a member that every object has a value for',
      reply('{}'),
      reply('{"constructor":1}'),
      { where: 'body $.constructor', was: null, is: '1' },
    ],
    ['an item less', reply('[1,2]'), reply('[1]'), { where: 'body $[1]', was: '2', is: null }],
    [
      'only the text',
      reply('{"a":1}'),
      reply('{ "a": 1 }'),
      { where: 'body', was: '{"a":1}', is: '{ "a": 1 }' },
    ],
    ['no JSON', reply('one'), reply('other'), { where: 'body $', was: '"one"', is: '"other"' }],
    ['no body', reply(), reply(''), { where: 'body $', was: null, is: '""' }],
    [
      'bytes',
      reply(undefined, [], { base64: 'AA==' }),
      reply(undefined, [], { sha256: 'ab' }),
      { where: 'body $', was: '"base64 AA=="', is: '"sha256 ab"' },
    ],
    [
      'a header field, with the name as it was sent',
      reply('', ['Retry-After', '5', 'A', '1']),
      reply('', ['a', '1', 'retry-after', '6']),
      { where: 'header Retry-After', was: '5', is: '6' },
    ],
    [
      'a header field more',
      reply(''),
      reply('', ['X-New', '1']),
      { where: 'header X-New', was: null, is: '1' },
    ],
  ])('%s', (_, was, is, difference) => {
    expect(replyDifference(was, is)).toEqual(difference)
  })

  it('is empty if only the order and the case of header fields differ', () => {
    const is = ['b', '2', 'A', '1', 'A', '3']
    expect(replyDifference(reply('x', ['a', '1', 'a', '3', 'B', '2']), reply('x', is))).toBeUndefined()
  })

  it('is in the body rather than in header fields, which depend on it', () => {
    const [was, is] = [reply('a', ['Content-Length', '1']), reply('bc', ['Content-Length', '2'])]
    expect(replyDifference(was, is)?.where).toBe('body $')
  })

  it('a long value is cut', () => {
    expect(replyDifference(reply('"a"'), reply(`"${'b'.repeat(10_000)}"`))?.is).toHaveLength(500)
    // The 500th character would be one half of an emoji.
    const long = `"${'b'.repeat(498)}${'😀'.repeat(1000)}"`
    expect(replyDifference(reply('"a"'), reply(long))?.is).toBe(`"${'b'.repeat(498)}`)
  })
})

it('two values have a difference exactly if their JSON differs', () => {
  // A round trip through JSON normalises -0 and __proto__.
  const value = fc.jsonValue({ maxDepth: 3 }).map((each): unknown => JSON.parse(JSON.stringify(each)))
  fc.assert(
    fc.property(value, value, (was, is) => {
      expect(pathOfDifference(was, structuredClone(was), '$')).toBeUndefined()
      const isSame = sorted(was) === sorted(is)
      expect(pathOfDifference(was, is, '$') === undefined).toBe(isSame)
    }),
  )
})

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
