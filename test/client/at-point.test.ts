import { expect, it } from 'vitest'
import { atPoint } from '../../src/client/at-point.ts'
import type { ControlClient } from '../../src/client/control.ts'

function clientAt(point: Parameters<typeof atPoint>[1]) {
  const calls: unknown[][] = []
  const make = (namespace: string): ControlClient =>
    ({
      namespace,
      in: make,
      call: async (...given: unknown[]) => void calls.push([namespace, ...given]),
    }) as unknown as ControlClient
  return { client: atPoint(make('default'), point), calls }
}

it('reads of every namespace are sent with the point; writes are not', () => {
  const { client, calls } = clientAt({ at: 'req_000001', side: 'before' })
  client.call('GET', '/keys', { params: { query: { namespace: 'x' } } } as never)
  client.in('w1').call('GET', '/clock')
  client.call('POST', '/reset', { body: {} } as never)
  expect(calls).toEqual([
    ['default', 'GET', '/keys', { params: { query: { namespace: 'x', at: 'req_000001', side: 'before' } } }],
    ['w1', 'GET', '/clock', { params: { query: { at: 'req_000001', side: 'before' } } }],
    ['default', 'POST', '/reset', { body: {} }],
  ])
})

it('the sandbox chooses the side if none is given', () => {
  const { client, calls } = clientAt({ at: 'req_000001' })
  client.call('GET', '/clock')
  expect(calls[0]?.[3]).toEqual({ params: { query: { at: 'req_000001' } } })
})
