import { expect, it } from 'vitest'
import { errorAnswer, forcedError, internalError } from '../../src/api/error-answer.ts'
import { API_ERRORS, ApiError } from '../../src/world/api-error.ts'
import { callOf } from './call.ts'

it('a 503 says when to come back, as it was told or in a second', () => {
  expect(errorAnswer(new ApiError('service_unavailable', 'm')).headers).toEqual(['Retry-After', '1'])
  const told = new ApiError('service_unavailable', 'm', ['Retry-After', '60'])
  expect(errorAnswer(told).headers).toEqual(['Retry-After', '60'])
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
  const { refusal } = forcedError(callOf(), status, 'm')
  const expected = API_ERRORS[refusal?.code as keyof typeof API_ERRORS]
  if (Object.values(API_ERRORS).includes(status as never)) expect(expected).toBe(status)
  else expect(refusal?.code).toBe(code)
})

it('a forced 405 lists what the path allows, or nothing', () => {
  expect(forcedError(callOf(), 405, 'm').headers).toEqual(['Allow', 'GET, HEAD, POST, OPTIONS'])
  expect(forcedError(callOf({ target: '/v1/nowhere' }), 405, 'm').headers).toEqual(['Allow', ''])
})

it('a failure of the sandbox says where its cause is', () => {
  expect(internalError()).toMatchObject({ status: 500, refusal: { message: expect.stringContaining('log') } })
})
