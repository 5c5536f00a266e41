import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import {
  readDecisions,
  readLimits,
  readNow,
  readOrigins,
  readPort,
  readRecordFile,
  readSeed,
  readSize,
  readSwitch,
  readText,
  readToken,
  readWord,
} from '../../src/config/readers.ts'

describe('numbers', () => {
  it.each([
    ['0', 0],
    [65535, 65535],
    [-0, 0],
  ])('the port %j is %i', (value, port) => {
    expect(readPort(value)).toBe(port)
  })

  it.each([
    '65536',
    '',
    ' 1',
    '01',
    '1e3',
    '0x50',
    '-1',
    1.5,
    Number.NaN,
    null,
    undefined,
    true,
    ['1'],
    {},
    10n ** 20n,
  ])('%s is not a port', (value) => {
    expect(() => readPort(value)).toThrow(/^.+ is not a valid port; use a number from 0 to 65535/)
  })

  it('a refusal shows a function, which was perhaps not called', () => {
    expect(() => readPort(() => 4010)).toThrow('() => 4010 is not a valid port; use')
  })

  it.each([
    [() => readPort('x'), 'use a number from 0 to 65535 (0 = any free port)'],
    [() => readSeed('x'), 'use a whole number from 0 to 9,007,199,254,740,991'],
    [() => readLimits('free=x'), 'Choices: <perMinute>/<perDay>. Each is a number from 1'],
    [() => readDecisions('list.limit=clam'), 'Did you mean clamp? Choices: reject | clamp'],
  ])('the advice of the refusal of %s is its fix', (read, fix) => {
    expect(read).toThrow(expect.objectContaining({ fix: expect.stringContaining(fix) }))
    expect(read).toThrow(fix)
  })

  it('a seed is at most the largest safe integer', () => {
    expect(readSeed('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER)
    expect(() => readSeed('9007199254740992')).toThrow(RangeError)
    // A bigint, as a configuration file gives it.
    expect(() => readSeed(9007199254740993n)).toThrow('9007199254740993 is not a valid seed')
  })

  it.each([
    ['1KiB', 1024],
    ['2GiB', 2 ** 31],
    [0, 0],
    ['2000GiB', 2000 * 2 ** 30],
    // The size of a flag is read again with the options.
    [2000 * 2 ** 30, 2000 * 2 ** 30],
  ])('the size %j is %i bytes', (value, bytes) => {
    expect(readSize(value)).toBe(bytes)
  })

  it.each(['1MB', '1mib', '1 MiB', '1.5GiB', '-1', '', 'MiB', '9007199254740992', 1e21, 1.5, null])(
    'no size: %s',
    (value) => {
      expect(() => readSize(value)).toThrow('is not a valid size; use 256MiB, 1GiB or a number of bytes')
    },
  )
})

it('a switch has several spellings, in any case', () => {
  for (const yes of [true, 'TRUE', 1, 'Yes', 'on']) expect(readSwitch(yes)).toBe(true)
  for (const no of [false, 'False', '0', 'NO', 'off']) expect(readSwitch(no)).toBe(false)
  for (const none of ['', 'y', 2, null, undefined, {}, ' true'])
    expect(() => readSwitch(none)).toThrow('neither')
})

it('a text is not empty, and a token has only characters that are valid in a header', () => {
  expect(readText(' a ')).toBe(' a ')
  for (const none of ['', ' \t', 7, null]) expect(() => readText(none)).toThrow('is not a valid text')
  expect(readToken('a!~')).toBe('a!~')
  for (const none of ['', 'a b', 'é', 'a\n', 7]) expect(() => readToken(none)).toThrow('is not valid')
})

it('an invalid token is not printed', () => {
  expect(() => readToken('my secret')).toThrow(/^(?!.*secret)/)
})

it('an unknown word is refused with a suggestion', () => {
  const read = readWord('pretty', 'json')
  expect(read('json')).toBe('json')
  expect(() => read('jsn')).toThrow('"jsn" is not valid. Did you mean json? Choices: pretty | json')
  expect(() => read(undefined)).toThrow('nothing is not valid. Choices: pretty | json')
})

it('an instant becomes UTC', () => {
  expect(readNow('2030-12-05T01:00:00+01:00')).toBe('2030-12-05T00:00:00.000Z')
  expect(readNow(new Date(0))).toBe('1970-01-01T00:00:00.000Z')
  // The Date of another realm, as in Jest.
  expect(readNow(runInNewContext('new Date(0)'))).toBe('1970-01-01T00:00:00.000Z')
  for (const none of ['now', '2030-02-30', new Date(Number.NaN), 0])
    expect(() => readNow(none)).toThrow(RangeError)
  for (const outside of ['1969-12-31T23:59:59Z', new Date(-1), new Date(Date.UTC(10_000, 0))])
    expect(() => readNow(outside)).toThrow('use a year from 1970 to 9999')
  expect(readNow('9999-12-31T23:59:59.999Z')).toBe('9999-12-31T23:59:59.999Z')
})

it('origins of pages are one text or several; null is not one', () => {
  expect(readOrigins('http://a.example, HTTP://b.example:80')).toEqual([
    'http://a.example',
    'http://b.example',
  ])
  expect(readOrigins(['http://a.example', 'http://b.example'])).toHaveLength(2)
  for (const none of ['', 'null', 'http://a.example,', '*'])
    expect(() => readOrigins(none)).toThrow('not a valid origin')
})

it('the suffix of a file name marks a recording', () => {
  expect([readRecordFile('a.jsonl'), readRecordFile('a.jsonl.gz')]).toEqual(['a.jsonl', 'a.jsonl.gz'])
  for (const none of ['a.json', 'jsonl', 'a.jsonl.zip', 'a.JSONL']) {
    expect(() => readRecordFile(none)).toThrow('use one that ends in .jsonl or .jsonl.gz')
  }
})

describe('pairs', () => {
  it('a comma begins another pair only before a name and =', () => {
    expect(readDecisions('cors.origins=http://a.example,http://b.example,list.limit=clamp')).toEqual({
      'cors.origins': 'http://a.example,http://b.example',
      'list.limit': 'clamp',
    })
    expect(readDecisions('errors.codes=pet_not_found:a,invalid_body:b , ban.after = 3')).toEqual({
      'errors.codes': 'pet_not_found:a,invalid_body:b',
      'ban.after': '3',
    })
  })

  it('the last value of a name is used, in one text or several', () => {
    expect(readLimits(['free=1/1,pro=2/2', 'free=3/3'])).toEqual({ free: '3/3', pro: '2/2' })
  })

  it('every invalid pair is reported, one per line', () => {
    const read = () => readLimits('free=0/1,fre=1/1,pro=5')
    expect(read).toThrow(
      /^plans\.free cannot be "0\/1".*\nThere is no plan "fre"\. Did you mean free\?.*\nplans\.pro/,
    )
  })

  it('a name that every object has is unknown, too', () => {
    expect(() => readDecisions('__proto__=1')).toThrow('There is no decision "__proto__"')
    expect(() => readLimits('__proto__=1/1')).toThrow('There is no plan "__proto__"')
  })

  it.each(['', '=', 'free', ' =1/1', null, undefined])('no pair: %j', (value) => {
    expect(() => readLimits(value)).toThrow('is not a valid pair; use <name>=<value>, such as free=60/1000')
  })

  it('of a configuration file may have values that are not JSON numbers', () => {
    const most = 10n ** 20n
    expect(() => readDecisions({ 'ban.after': most })).toThrow(`ban.after cannot be "${most}".`)
    expect(() => readLimits({ free: { perMinute: most, perDay: 1 } })).toThrow(
      `{"perMinute":${most},"perDay":1}`,
    )
    expect(() => readLimits({ free: null })).toThrow('plans.free cannot be "null".')
    expect(readLimits({ free: undefined })).toEqual({})
  })

  it('a property name of Object.prototype is neither a decision nor a plan', () => {
    expect(() => readDecisions('constructor=x')).toThrow('There is no decision "constructor"')
    expect(() => readLimits('constructor=1/1')).toThrow('There is no plan "constructor"')
  })
})
