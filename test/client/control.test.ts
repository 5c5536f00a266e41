import { expect, it } from 'vitest'
import { anyCall, type ControlClient, connectControl } from '../../src/client/control.ts'

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
    ['POST', '/requests/wait', { query: { namespace: 'w1' }, body, waits: 60_000 }],
    ['GET', '/clock'],
  ])
})

/** A client at a point of the history, and the requests that it sends. */
function clientAt(point: Parameters<ControlClient['at']>[0]) {
  const sent: string[] = []
  const fetch = async ({ method, url }: Request) => {
    sent.push(`${method} ${url.replace(/^.*_sandbox/, '')}`)
    return Response.json({})
  }
  const client = connectControl({ url: 'http://localhost', namespace: 'default', fetch })
  return { client: client.at(point), sent }
}

it('reads of every namespace are sent with the point; writes are not', async () => {
  const { client, sent } = clientAt({ at: 'req_000001', side: 'before' })
  await client.call('GET', '/keys', { query: { namespace: 'x' } } as never)
  await client.in('w1').call('GET', '/clock')
  await client.call('POST', '/reset', { body: {} } as never)
  expect(sent).toEqual([
    'GET /keys?namespace=x&at=req_000001&side=before',
    'GET /clock?namespace=w1&at=req_000001&side=before',
    'POST /reset?namespace=default',
  ])
})

it('the sandbox chooses the side if none is given', async () => {
  const { client, sent } = clientAt({ at: 'req_000001' })
  await client.call('GET', '/clock')
  expect(sent).toEqual(['GET /clock?namespace=default&at=req_000001'])
})
