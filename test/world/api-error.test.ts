import { expect, it } from 'vitest'
import { API_ERRORS, ApiError } from '../../src/world/api-error.ts'

it('has the status of its code, unless another one is given', () => {
  expect(new ApiError('api_key_banned', 'm').status).toBe(API_ERRORS.api_key_banned)
  expect(new ApiError('api_key_banned', 'm', [], 403)).toMatchObject({
    status: 403,
    headers: [],
    message: 'm',
  })
})

it('has well-formed codes, each with the status of an error', () => {
  for (const [code, status] of Object.entries(API_ERRORS)) {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(600)
  }
})
