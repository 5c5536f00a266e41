import { expect, it } from 'vitest'
import { atPoint } from '../../src/client/at-point.ts'
import type { ControlClient } from '../../src/client/control.ts'

function asked(point: Parameters<typeof atPoint>[1]) {
  const calls: unknown[][] = []
  const make = (namespace: string): ControlClient =>
    ({
      namespace,
      in: make,
      call: async (...given: unknown[]) => void calls.push([namespace, ...given]),
    }) as unknown as ControlClient
  return { client: atPoint(make('default'), point), calls }
}

it('what is read is read at the point, in every namespace; what is written is not', () => {
  const { client, calls } = asked({ at: 'req_000001', side: 'before' })
  client.call('GET', '/keys', { params: { query: { namespace: 'x' } } } as never)
  client.in('w1').call('GET', '/clock')
  client.call('POST', '/reset', { body: {} } as never)
  expect(calls).toEqual([
    ['default', 'GET', '/keys', { params: { query: { namespace: 'x', at: 'req_000001', side: 'before' } } }],
    ['w1', 'GET', '/clock', { params: { query: { at: 'req_000001', side: 'before' } } }],
    ['default', 'POST', '/reset', { body: {} }],
  ])
})

it('the sandbox chooses the side where none is given', () => {
  const { client, calls } = asked({ at: 'req_000001' })
  client.call('GET', '/clock')
  expect(calls[0]?.[3]).toEqual({ params: { query: { at: 'req_000001' } } })
})
