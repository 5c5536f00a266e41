import { expect, it } from 'vitest'
import { serviceDifference } from '../../../src/tools/replay/service-difference.ts'
import { ServiceIds } from '../../../src/tools/replay/service-ids.ts'

const LIMITS = ['X-RateLimit-Limit', '300', 'X-RateLimit-Remaining', '299', 'X-RateLimit-Reset', '1800000000']
const JSON_TYPE = ['Content-Type', 'application/json']

const reply = (status: number, body: unknown, headers = [...JSON_TYPE, ...LIMITS]) => ({
  status,
  headers,
  body: JSON.stringify(body),
})
const pet = (id: unknown, name = 'Kit') => ({ id, name, categoryId: 2 })
const error = (code: string, message: unknown) => ({ code, message, status: 404 })

const difference = (was: ReturnType<typeof reply>, is: ReturnType<typeof reply>, ids = new ServiceIds()) =>
  serviceDifference(was, is, ids)

it.each([
  ['the order of members', reply(200, pet(1)), reply(200, { name: 'Kit', categoryId: 2, id: 1 })],
  [
    'counters, and parameters of the media type',
    reply(200, []),
    reply(
      200,
      [],
      [
        ...['Content-Type', 'Application/JSON; charset=utf-8', 'X-RateLimit-Limit', '50'],
        ...['X-RateLimit-Remaining', '3', 'X-RateLimit-Reset', '1900000000'],
      ],
    ),
  ],
  ['the message of an error', reply(404, error('a', 'No pet 13.')), reply(404, error('a', 'Not found'))],
  [
    'how long to wait',
    reply(429, {}, [...JSON_TYPE, 'Retry-After', '7']),
    reply(429, {}, [...JSON_TYPE, 'Retry-After', 'Sat, 21 Nov 2026 12:00:00 GMT']),
  ],
  ['further headers', reply(200, []), reply(200, [], [...JSON_TYPE, ...LIMITS, 'X-Request-Id', 'b'])],
])('%s may differ', (_, was, is) => {
  expect(difference(was, is)).toBeUndefined()
})

it.each([
  ['status', reply(200, []), reply(204, [])],
  ['header Content-Type', reply(200, []), reply(200, [], ['Content-Type', 'text/html', ...LIMITS])],
  ['header X-RateLimit-Remaining', reply(200, []), reply(200, [], [...JSON_TYPE, ...LIMITS.slice(0, 2)])],
  ['header X-RateLimit-Limit', reply(200, []), reply(200, [], [...JSON_TYPE, 'X-RateLimit-Limit', 'many'])],
  ['header Retry-After', reply(429, {}, [...JSON_TYPE, 'Retry-After', '7']), reply(429, {}, JSON_TYPE)],
  ['body $.code', reply(404, error('a', 'b')), reply(404, error('c', 'b'))],
  ['body $.message', reply(404, error('a', 'b')), reply(404, error('a', 7))],
  ['body $[1].name', reply(200, [pet(1), pet(2)]), reply(200, [pet(1), pet(2, 'Tom')])],
  ['body $[1]', reply(200, [pet(1)]), reply(200, [pet(1), pet(2)])],
  ['body $.id', reply(200, pet(3)), reply(200, pet(4))],
  ['body $.id', reply(201, pet(3)), reply(201, pet('4'))],
  ['body', reply(200, []), { ...reply(200, []), body: '<html>' }],
  ['body $', reply(200, []), { ...reply(200, []), body: '{}' }],
])('%s must not differ', (where, was, is) => {
  expect(difference(was, is)).toMatchObject({ where })
})

it('an id of the recording is mapped to one id of the service', () => {
  const ids = new ServiceIds()
  const between = (was: unknown, is: unknown, status = 200) =>
    difference(reply(status, was), reply(status, is), ids)?.where
  expect(between([pet(1), pet(2)], [pet(101), pet(102)])).toBeUndefined()
  expect(between(pet(13), pet(412), 201)).toBeUndefined()
  expect(between([pet(1), pet(2), pet(13)], [pet(101), pet(102), pet(412)])).toBeUndefined()
  expect(between(pet(13), pet(412))).toBeUndefined()
  expect(between(pet(13), pet(13))).toBe('body $.id')
  expect(between([pet(2)], [pet(101)])).toBe('body $[0].id')
  expect(between([pet(5)], [pet(412)])).toBe('body $[0].id')
  expect(between([pet(6, 'Rex'), pet(7)], [pet(107), pet(106, 'Rex')])).toBe('body $[0].id')
  expect(ids.path('/pets/6')).toBe('/pets/6')
  expect(ids.path('/pets/13?x=13')).toBe('/pets/412?x=13')
  expect(ids.path('/pets/130')).toBe('/pets/130')
  expect(ids.body('{ "id": 13, "name": "13" }')).toBe('{"id":412,"name":"13"}')
  expect(ids.body('{ "id": 7 }')).toBe('{ "id": 7 }')
})

it('an id keeps every digit', () => {
  const ids = new ServiceIds()
  const was = { ...reply(201, {}), body: '{"id":13}' }
  expect(difference(was, { ...reply(201, {}), body: '{"id":9007199254740993}' }, ids)).toBeUndefined()
  expect(ids.path('/pets/13')).toBe('/pets/9007199254740993')
})

it('a pet whose fields are not all there is the same pet', () => {
  const ids = new ServiceIds()
  const lists = (was: object[], is: object[]) => difference(reply(200, was), reply(200, is), ids)
  expect(lists([pet(1)], [{ id: 101, name: 'Kit' }])).toEqual({
    where: 'body $[0].categoryId',
    was: '2',
    is: null,
  })
  const { where } = lists([pet(2, 'Tom')], [{ ...pet(102, 'Tom'), status: 'sold' }]) ?? {}
  expect(where).toBe('body $[0].status')
  expect(lists([pet(1), pet(2, 'Tom')], [pet(101), pet(102, 'Tom')])).toBeUndefined()
})
