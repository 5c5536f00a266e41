import { expect, it } from 'vitest'
import { ControlError, Unreachable } from '../../src/client/control-error.ts'
import { failureOf, InvalidArguments } from '../../src/mcp/failure.ts'
import { entry } from '../support/exchange.ts'

it.each<[unknown, object]>([
  [
    new ControlError({ code: 'not_found', message: 'm', status: 404 }),
    { code: 'not_found', status: 404, message: 'm' },
  ],
  [new ControlError({ code: 'constructor', message: 'm', status: 400 } as never), { code: 'constructor' }],
  [new Unreachable('m'), { code: 'sandbox_unreachable', message: 'm' }],
  [new InvalidArguments('m'), { code: 'invalid_arguments', message: 'm' }],
  [new RangeError('m'), { code: 'failed', message: 'm' }],
])('%o says what failed and what to do', (error, expected) => {
  expect(failureOf(error)).toMatchObject({ ...expected, fix: expect.stringMatching(/\.$/) })
})

it('requests that are nearest are shown as in a list', () => {
  const body = { code: 'not_received', message: 'm', status: 404, nearest: [entry()] }
  expect(failureOf(new ControlError(body as never))).toMatchObject({
    nearest: [{ id: 'req_000001', received: {} }],
  })
})
