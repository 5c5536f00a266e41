import { describe, expect, it } from 'vitest'
import { isInside, relativeTarget } from '../../src/api/resolve.ts'
import { callOf } from './call.ts'

const at = (target: string) => callOf({ target })

describe('the base path', () => {
  it.each(['/v1', '/v1/', '/v1?limit=1', '/%761/pets', '/v%31', 'HTTP://host:1/v1/pets', 'http://host/v1?x'])(
    'is the prefix of %s',
    (target) => {
      expect(isInside(target)).toBe(true)
      expect(at(target).inside).toBe(true)
    },
  )

  it.each(['/', '', '/v10/pets', '/V1/pets', '/v1%2Fpets', '/%zz/pets', '//v1/pets', 'http://host', '/?/v1'])(
    'is not the prefix of %j',
    (target) => {
      expect(isInside(target)).toBe(false)
      expect(at(target).inside).toBe(false)
    },
  )
})

it.each([
  ['/v1/pets?limit=1&a?b', 'listPets', 'limit=1&a?b'],
  ['http://host/v1/pets?', 'listPets', ''],
  ['/v1/pets/', undefined, ''],
  ['/v1/pets/%31', 'getPet', ''],
])('%s is %s with the query %j', (target, operation, query) => {
  const call = at(target)
  expect([call.operation?.id, call.query]).toEqual([operation, query])
})

it('a segment is decoded once, and one that cannot be decoded is marked', () => {
  expect(at('/v1/pets/%2531').params).toEqual({ petId: '%31' })
  expect(at('/v1/pets/a%2Fb').params).toEqual({ petId: 'a/b' })
  expect(at('/v1/pets/%zz')).toMatchObject({ malformed: true, params: { petId: '%zz' } })
})

it.each([
  ['/v1/pets?limit=1', '/pets?limit=1'],
  ['/%761/pets/%2f?', '/pets/%2f?'],
  ['/v1?a', '?a'],
  ['/v1', ''],
  ['http://host:1/v1/pets', '/pets'],
  ['http://host', '/'],
  ['http://host?a', '/?a'],
  ['/other/pets?a', '/other/pets?a'],
])('%s is sent to a service as %j, without decoding', (target, rest) => {
  expect(relativeTarget(at(target))).toBe(rest)
})
