import { expect, it, vi } from 'vitest'
import { jsonOf } from '../../src/contract/openapi/json.ts'
import { Matcher } from '../../src/control/match.ts'
import { refusal } from '../../src/control/wait.ts'
import { exchange } from '../support/exchange.ts'
import { api, call, sandboxPerTest } from './client.ts'

vi.mock('../../src/contract/openapi/json.ts', { spy: true })

sandboxPerTest()

it('a new body is parsed once for all calls that wait', () => {
  const sent = exchange({ request: { headers: [], body: '{"name":"Kit","categoryId":2}' } })
  const outcomes = [1, 2, 3].map((categoryId) => new Matcher({ body: { categoryId } }).outcomeOf(sent))
  expect(outcomes).toEqual(['differs', 'match', 'differs'])
  expect(jsonOf).toHaveBeenCalledTimes(1)
})

it('the words of a finding and of a reason are found', async () => {
  await api('/pets/1')
  await api('/pets/999')
  await api('/pets', { key: 'psk_limited' })
  const found = async (q: string) =>
    (await call('GET', `/requests?${new URLSearchParams({ q })}`)).body.map(({ id }: { id: string }) => id)
  expect(await found('deprecated-call')).toEqual(['req_000001', 'req_000002'])
  expect(await found('minute used up')).toEqual(['req_000003'])
})

it('the nearest exchanges are found in steps, the newest first among equal ones', () => {
  const exchanges = Array.from({ length: 1000 }, (_, i) =>
    exchange({ id: `req_${i}`, status: i % 2 ? 201 : 400, method: i < 500 ? 'POST' : 'GET' }),
  )
  const members = { code: 'not_received', message: 'none', status: 409 } as const
  const steps = refusal(members, exchanges, new Matcher({ status: 201, method: 'POST' }), () => undefined)
  for (let taken = 0; ; taken++) {
    const { done, value } = steps.next()
    if (!done) continue
    const { nearest, ...others } = JSON.parse(value.body as string)
    expect(nearest.map(({ id }: { id: string }) => id)).toEqual(['req_499', 'req_497', 'req_495'])
    expect(others).toEqual(members)
    expect(taken).toBeGreaterThan(200)
    return
  }
})
