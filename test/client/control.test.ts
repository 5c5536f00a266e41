import { expect, it } from 'vitest'
import { anyCall, type ControlClient } from '../../src/client/control.ts'

it('a call by operationId sends the query, the body and the wait time like a named call', async () => {
  const calls: unknown[][] = []
  const call = async (...given: unknown[]) => {
    calls.push(given)
    return { value: 7 }
  }
  const any = anyCall({ call } as unknown as ControlClient)
  const body = { within: '45s' }
  expect(await any('POST', '/requests/wait', { query: { namespace: 'w1' }, body, waits: 60_000 })).toBe(7)
  await any('GET', '/clock')
  expect(calls).toEqual([
    ['POST', '/requests/wait', { params: { query: { namespace: 'w1' } }, body, waits: 60_000 }],
    ['GET', '/clock', { params: { query: undefined } }],
  ])
})
