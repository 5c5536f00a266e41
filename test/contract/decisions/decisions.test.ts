import { describe, expect, it } from 'vitest'
import {
  DECISION_NAMES,
  DECISIONS,
  describeDecisions,
  readDecision,
  resolvePolicy,
} from '../../../src/contract/decisions/decisions.ts'

describe('the decisions', () => {
  it('have the defaults of the behaviour', () => {
    expect(resolvePolicy()).toEqual({
      cors: { origins: '*' },
      orders: '501',
      list: { limit: 'reject', status: 'reject', order: 'oldest' },
      unknown: 'ignore',
      create: { blankName: 'accept', status: 'absent' },
      get: {
        invalidId: '404',
        deprecatedSince: 1764892800000,
        removedOn: Date.parse('2030-12-05T00:00:00Z'),
        afterRemoval: '410',
      },
      limits: { minute: 'first-request', report: 'closest' },
      plans: {
        free: { perMinute: 60, perDay: 1000 },
        pro: { perMinute: 300, perDay: 10_000 },
        business: { perMinute: 1000, perDay: 100_000 },
        enterprise: { perMinute: 10_000, perDay: 1_000_000 },
      },
      ban: { enabled: true, after: null, seconds: 120, status: 429 },
      errors: { codes: {} },
      durable: { log: 'changes' },
    })
  })

  it('have the choices of the behaviour', () => {
    const choices = Object.fromEntries(DECISION_NAMES.map((name) => [name, DECISIONS[name].choices]))
    expect(choices).toMatchObject({
      orders: '501 | 404 | mock',
      'list.limit': 'reject | clamp',
      'list.status': 'reject | empty | ignore',
      'list.order': 'oldest | newest',
      unknown: 'ignore | reject',
      'create.blankName': 'accept | reject',
      'create.status': 'absent | available | pending | sold | a status of an overlay',
      'get.invalidId': '404 | 400',
      'get.afterRemoval': '410 | 404 | serve',
      'limits.minute': 'first-request | clock',
      'limits.report': 'closest | minute | day',
      'ban.status': '429 | 403',
    })
  })

  it.each([
    [
      'cors.origins',
      'https://a.example, http://localhost:5173',
      ['https://a.example', 'http://localhost:5173'],
    ],
    ['cors.origins', ['HTTPS://A.example:443', 'null'], ['https://a.example', 'null']],
    ['cors.origins', 'chrome-extension://abcdef', ['chrome-extension://abcdef']],
    ['orders', 404, '404'],
    ['get.removedOn', '2027-01-01', Date.parse('2027-01-01T00:00:00Z')],
    ['get.removedOn', new Date('2027-01-01T12:00:00Z'), Date.parse('2027-01-01T12:00:00Z')],
    ['plans.free', '5/unlimited', { perMinute: 5, perDay: null }],
    ['plans.free', ' 5 / null ', { perMinute: 5, perDay: null }],
    ['plans.free', { perMinute: null, perDay: 7 }, { perMinute: null, perDay: 7 }],
    ['plans.free', '2147483647/1', { perMinute: 2147483647, perDay: 1 }],
    ['ban.enabled', false, false],
    ['ban.enabled', 'false', false],
    ['ban.after', 'plan', null],
    ['ban.after', null, null],
    ['ban.after', '3', 3],
    ['ban.status', 403, 403],
    ['ban.status', '403', 403],
    [
      'errors.codes',
      'pet_not_found:missing,invalid_body:bad.body',
      { pet_not_found: 'missing', invalid_body: 'bad.body' },
    ],
    ['errors.codes', { pet_not_found: 'missing' }, { pet_not_found: 'missing' }],
    ['errors.codes', 'none', {}],
  ])('read %s = %j', (name, given, value) => {
    expect(readDecision(name, given)).toEqual(value)
  })

  it.each([
    ['cors.origins', ''],
    ['cors.origins', []],
    ['cors.origins', 'https://a.example/path'],
    ['cors.origins', 'a.example'],
    ['cors.origins', '*,https://a.example'],
    ['orders', 'Mock'],
    ['orders', null],
    ['get.removedOn', 'tomorrow'],
    ['get.removedOn', 1764892800],
    ['get.removedOn', new Date(Number.NaN)],
    ['get.removedOn', new Date('+010000-01-01T00:00:00Z')],
    ['plans.free', '0/1'],
    ['plans.free', '5'],
    ['plans.free', '5/6/7'],
    ['plans.free', '2147483648/1'],
    ['plans.free', '1.5/2'],
    ['plans.free', { perMinute: 1 }],
    ['plans.free', { perMinute: 1, perDay: 2, perHour: 3 }],
    ['plans.free', null],
    ['ban.after', 0],
    ['ban.seconds', '-1'],
    ['ban.status', 418],
    ['errors.codes', 'pet_not_found'],
    ['errors.codes', 'no_such_code:x'],
    ['errors.codes', 'pet_not_found:x,pet_not_found:y'],
    ['errors.codes', 'constructor:x'],
    ['errors.codes', { pet_not_found: 7 }],
    ['errors.codes', { pet_not_found: '' }],
    ['errors.codes', ['pet_not_found:x']],
  ])('refuse %s = %j with the choices', (name, given) => {
    expect(() => readDecision(name, given)).toThrow(`${name} cannot be`)
    expect(() => readDecision(name, given)).toThrow('Choices: ')
  })

  it('an unknown one is refused with a suggestion and the valid values', () => {
    expect(() => resolvePolicy({ 'list.limit': 'clmp' })).toThrow(
      'list.limit cannot be "clmp". Did you mean clamp? Choices: reject | clamp',
    )
    expect(() => resolvePolicy({ 'list.limits': 'clamp' })).toThrow(
      /^There is no decision "list\.limits"\. Did you mean list\.limit\? Decisions: cors\.origins, .*, durable\.log$/,
    )
    expect(() => resolvePolicy({ toString: 'x' })).toThrow('There is no decision "toString"')
    expect(() => resolvePolicy({ 'errors.codes': 'nope:x' })).toThrow(/Codes: .*pet_not_found/)
    const refusalOf = (codes: unknown) => () => resolvePolicy({ 'errors.codes': codes })
    expect(refusalOf('nope:x')).toThrow('errors.codes cannot be "nope:x". There is no code "nope". Choices')
    for (const codes of ['invalid_json:a,pet_not_foun:b', { pet_not_foun: 'b' }])
      expect(refusalOf(codes)).toThrow('There is no code "pet_not_foun". Did you mean pet_not_found? Choices')
    expect(refusalOf('pet_not_found:')).toThrow('cannot be "pet_not_found:". Choices')
    expect(refusalOf(['nope:x'])).toThrow('cannot be "["nope:x"]". Choices')
  })

  it('refuse a deprecation that begins after the removal, but not at its instant', () => {
    const removedOn = '2025-01-01T00:00:00Z'
    expect(() => resolvePolicy({ 'get.removedOn': removedOn })).toThrow(
      /deprecatedSince .* is later than get\.removedOn/,
    )
    expect(
      resolvePolicy({ 'get.removedOn': removedOn, 'get.deprecatedSince': removedOn }).get.removedOn,
    ).toBe(Date.parse(removedOn))
  })

  it('are printed as texts that result in the same policy', () => {
    const policy = resolvePolicy({
      'cors.origins': 'https://a.example,https://b.example',
      'plans.pro': 'unlimited/5',
      'ban.after': 4,
      'errors.codes': 'pet_not_found:gone,invalid_json:bad',
      'get.removedOn': '2029-01-01',
    })
    const shown = describeDecisions(policy)
    expect(resolvePolicy(Object.fromEntries(shown.map(({ name, value }) => [name, value])))).toEqual(policy)
    expect(shown.find(({ name }) => name === 'plans.pro')).toEqual({
      name: 'plans.pro',
      section: '8',
      question: 'How many requests per minute and per day does the Pro plan have?',
      choices: '<perMinute>/<perDay>',
      default: '300/10000',
      value: 'unlimited/5',
      why: 'The value of the interface.',
    })
  })
})
