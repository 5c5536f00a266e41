import { expect, it } from 'vitest'
import { VERSION } from '../../src/contract/version.ts'
import { harParts } from '../../src/views/har.ts'
import { exchange } from '../support/exchange.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the members that it reads
function har(...members: Parameters<typeof exchange>): any {
  return JSON.parse([...harParts([exchange(...members)], 'http://localhost:4010')].join('')).log
}

it('is an archive of version 1.2', () => {
  const log = har({
    method: 'POST',
    query: '?a=1&b=%20',
    status: 201,
    ms: 12,
    request: {
      headers: ['Host', 'localhost:1234', 'Content-Type', 'application/json'],
      body: '{"name":"é"}',
    },
    response: { headers: ['Content-Type', 'application/json', 'Location', '/v1/pets/13'], body: '{}' },
  })
  expect(log).toMatchObject({ version: '1.2', creator: { name: 'petstore-sandbox', version: VERSION } })
  expect(log.entries[0]).toMatchObject({
    startedDateTime: '2026-11-19T12:34:56.000Z',
    time: 12,
    timings: { send: 0, wait: 12, receive: 0 },
    cache: {},
    request: {
      url: 'http://localhost:1234/v1/pets??a=1&b=%20',
      queryString: [
        { name: '?a', value: '1' },
        { name: 'b', value: ' ' },
      ],
      headers: [
        { name: 'host', value: 'localhost:1234' },
        { name: 'content-type', value: 'application/json' },
      ],
      bodySize: 13,
      postData: { mimeType: 'application/json', text: '{"name":"é"}' },
    },
    response: {
      status: 201,
      statusText: 'Created',
      redirectURL: '/v1/pets/13',
      content: { size: 2, mimeType: 'application/json', text: '{}' },
      bodySize: 2,
    },
  })
})

it('has no response if a wire fault lost it', () => {
  const [entry] = har({ status: 0, decision: 'fault:fault_1', request: { headers: [], body: '' } }).entries
  expect(entry.request.url).toBe('http://localhost:4010/v1/pets')
  expect(entry.request).not.toHaveProperty('postData')
  expect(entry.response).toMatchObject({
    status: 0,
    statusText: '',
    headers: [],
    content: { size: 0 },
    bodySize: -1,
  })
  expect(entry._decision).toBe('fault:fault_1')
})

it('has no size of a truncated body', () => {
  const [entry] = har({ request: { headers: [], body: 'aaa', truncated: true } }).entries
  expect(entry.request.bodySize).toBe(-1)
})
