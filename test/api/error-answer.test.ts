import { expect, it } from 'vitest'
import { errorAnswer } from '../../src/api/call.ts'
import { forcedError } from '../../src/api/force.ts'
import { API_ERRORS, ApiError, internalError } from '../../src/world/api-error.ts'
import { policyWith } from '../world/policy.ts'
import { callOf, NOW } from './call.ts'

it('a 503 has the Retry-After of its error, or 1 second', () => {
  expect(errorAnswer(new ApiError('service_unavailable', 'm')).headers).toEqual(['Retry-After', '1'])
  const withWait = new ApiError('service_unavailable', 'm', ['Retry-After', '60'])
  expect(errorAnswer(withWait).headers).toEqual(['Retry-After', '60'])
})

it('only a body that was not read to its end closes the connection', () => {
  const closing = Object.keys(API_ERRORS).filter(
    (code) => errorAnswer(new ApiError(code as never, 'm')).close,
  )
  expect(closing).toEqual(['body_too_large'])
})

it.each([
  [400, 'invalid_body'],
  [418, 'invalid_request'],
  [499, 'invalid_request'],
  [503, 'service_unavailable'],
  [599, 'internal_error'],
])('a forced %i has a code of that status, or of its class', (status, code) => {
  const { refusal } = forcedError(callOf(), policyWith(), status, 'm')
  const expected = API_ERRORS[refusal?.code as keyof typeof API_ERRORS]
  if (Object.values(API_ERRORS).includes(status as never)) expect(expected).toBe(status)
  else expect(refusal?.code).toBe(code)
})

it('a forced 405 lists the methods of the path, or none for an unknown path', () => {
  expect(forcedError(callOf(), policyWith(), 405, 'm').headers).toEqual(['Allow', 'GET, HEAD, POST, OPTIONS'])
  const nowhere = callOf({ target: '/v1/nowhere' })
  expect(forcedError(nowhere, policyWith(), 405, 'm').headers).toEqual(['Allow', ''])
})

it('a forced 405 does not list a method that is removed', () => {
  const one = callOf({ target: '/v1/pets/1' })
  expect(forcedError(one, policyWith(), 405, 'm').headers).toEqual(['Allow', 'GET, HEAD, OPTIONS'])
  const removed = policyWith({ 'get.removedOn': new Date(NOW - 1).toISOString() })
  expect(forcedError(one, removed, 405, 'm').headers).toEqual(['Allow', ''])
})

it('the message of an internal error refers to the log', () => {
  expect(errorAnswer(internalError())).toMatchObject({
    status: 500,
    refusal: { message: expect.stringContaining('log') },
  })
})
