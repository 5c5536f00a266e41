import { describe, expect, it } from 'vitest'
import type { Answer } from '../../src/api/call.ts'
import { force, type Preference } from '../../src/api/force.ts'
import { policyWith } from '../world/policy.ts'
import { callOf } from './call.ts'

function forced(prefer: string | string[], target = '/v1/pets', mocked?: Answer) {
  const headers = [prefer].flat().flatMap((value) => ['Prefer', value])
  const call = callOf({ target, headers })
  let requested: Preference | undefined
  const answer = force(
    call,
    (_, __, preference) => {
      requested = preference
      return mocked ?? { status: preference.code ?? 200, text: '[]' }
    },
    policyWith(),
  )
  const { headers: fields = [] } = answer ?? {}
  return {
    answer,
    requested,
    decision: call.decision,
    applied: fields[fields.indexOf('Preference-Applied') + 1],
  }
}

describe('Prefer', () => {
  it.each<[string | string[], Preference, string]>([
    ['code=200', { code: 200 }, 'code=200'],
    ['CODE = 200 ', { code: 200 }, 'code=200'],
    ['wait=5, code=200, example=Rex', { code: 200, example: 'Rex' }, 'code=200, example=Rex'],
    ['code=200; example=Rex', { code: 200 }, 'code=200'],
    [['example=a', 'code=200'], { code: 200, example: 'a' }, 'example=a, code=200'],
    ['code=200, code=404', { code: 200 }, 'code=200'],
    [['example=a', 'example=b'], { example: 'a' }, 'example=a'],
    ['example="a, code=500; \\"b\\""', { example: 'a, code=500; "b"' }, 'example=a, code=500; "b"'],
    [
      'example="never closed, code=404',
      { example: '"never closed, code=404' },
      'example="never closed, code=404',
    ],
    ['dynamic=true', { dynamic: true }, 'dynamic=true'],
    ['dynamic=false', {}, 'dynamic=false'],
    ['example', { example: '' }, 'example='],
  ])('%j is the preference %j', (prefer, preference, applied) => {
    const found = forced(prefer)
    expect(found).toMatchObject({ requested: preference, decision: 'forced', applied })
    expect(Object.keys(found.requested ?? {})).toEqual(Object.keys(preference))
  })

  it.each([
    '',
    'wait=5',
    ', ;',
    'respond-async',
    'codes=404',
    'example2=x',
    'x;code=503',
    'x="y" ; code=503',
  ])('%j is not a preference', (prefer) => {
    expect(forced(prefer)).toMatchObject({ answer: undefined, decision: 'served' })
  })

  it.each([
    'code=',
    'code=99',
    'code=600',
    'code=199',
    'code=4_4',
    'code=1e2',
    'code',
    'dynamic=yes',
    'dynamic',
  ])('%j is refused', (prefer) => {
    expect(() => forced(prefer)).toThrow('Prefer: ')
  })
})

describe('a forced error', () => {
  it('needs no mock, and no operation', () => {
    for (const target of ['/v1/pets', '/v1/nowhere']) {
      const { answer, requested } = forced('code=418', target)
      expect(requested).toBeUndefined()
      expect(answer).toMatchObject({ status: 418, refusal: { code: 'invalid_request' } })
    }
  })

  it.each([
    [401, 'WWW-Authenticate'],
    [405, 'Allow'],
    [429, 'Retry-After'],
    [503, 'Retry-After'],
  ])('%i has the header field %s, also with an example', (status, name) => {
    expect(forced(`code=${status}`).answer?.headers).toContain(name)
    expect(forced(`code=${status}, example=x`).answer?.headers).toContain(name)
  })

  it('does not close the connection, unlike the same error otherwise', () => {
    expect(forced('code=413').answer).toMatchObject({ status: 413, close: undefined })
  })

  it('from an example has its status in an Error body; any other body stays unchanged', () => {
    const body = (text: string) =>
      forced('code=404, example=x', '/v1/pets', { status: 404, text }).answer?.text
    expect(body('{"code":"a","message":"b","status":500,"more":1}')).toBe(
      '{"code":"a","message":"b","status":404}',
    )
    for (const text of ['{"code":1,"message":"b"}', 'null', '[]', '"x"']) expect(body(text)).toBe(text)
  })
})

it('without an operation, only an error can be forced', () => {
  expect(forced('example=x', '/v1/nowhere').answer).toBeUndefined()
  for (const code of [200, 301]) {
    expect(() => forced(`code=${code}`, '/v1/nowhere')).toThrow(
      `code=${code} needs an operation, and none matches here`,
    )
  }
})
