import { expect, it, onTestFinished, vi } from 'vitest'
import { ControlError, Unreachable } from '../../src/client/control-error.ts'
import { createProxy, type RunningProxy } from '../../src/compose/proxy.ts'
import { createSandbox } from '../../src/compose/sandbox.ts'
import { controlContract } from '../../src/contract/control.ts'
import type { OperationObject } from '../../src/contract/openapi/document.ts'
import { failureOf } from '../../src/mcp/explain.ts'
import { InvalidArguments } from '../../src/mcp/tool.ts'
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
])('%o has the failure and the remedy', (error, expected) => {
  expect(failureOf(error)).toMatchObject({ ...expected, fix: expect.stringMatching(/\.$/) })
})

it('the fix of an unavailable sandbox fits every cause, such as a closed one', () => {
  const closed = { code: 'service_unavailable', message: 'The sandbox was closed.', status: 503 } as const
  expect(failureOf(new ControlError(closed))).toMatchObject({
    fix: 'Remove the cause that the message names, then retry.',
  })
})

it('the nearest requests are shown as in a list', () => {
  const body = { code: 'not_received', message: 'm', status: 404, nearest: [entry()] }
  expect(failureOf(new ControlError(body as never))).toMatchObject({
    nearest: [{ id: 'req_000001', received: {} }],
  })
})

it('the endpoint prints nothing when it is loaded', async () => {
  const warn = vi.spyOn(console, 'warn')
  await using sandbox = await createSandbox({ listen: false })
  const response = await sandbox.fetch('/_sandbox/mcp', {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  expect(await response.text()).toContain('find_sandbox')
  expect(warn).not.toHaveBeenCalled()
})

it('the endpoint names no members, as its messages have any', async () => {
  await using sandbox = await createSandbox({ listen: false })
  const response = await sandbox.fetch('/_sandbox/mcp', {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
  })
  expect(await response.json()).toMatchObject({ message: 'The request needs a body: a JSON object.' })
})

it('a message of another type is answered as the document says', async () => {
  await using sandbox = await createSandbox({ listen: false })
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'text/plain' }
  const response = await sandbox.fetch('/_sandbox/mcp', { method: 'POST', headers, body: '{}' })
  expect([response.status, await response.json()]).toMatchObject([415, { jsonrpc: '2.0' }])
  const described = controlContract().document.paths['/mcp']?.post as OperationObject | undefined
  expect(described?.responses[415]).toMatchObject({
    content: { 'application/json': { schema: { type: 'object' } } },
  })
})

/** The text of the answer to a call. */
const callTool = async ({ controlUrl }: RunningProxy, name: string, given = {}): Promise<string> => {
  const response = await fetch(`${controlUrl}/mcp`, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
  })
  return response.text()
}

it('finds a proxy, whose service has the keys', async () => {
  const proxy = await createProxy('http://localhost:9/v1', { port: 0 })
  onTestFinished(() => proxy.close())
  const answer = await callTool(proxy, 'find_sandbox')
  const [, sent = ''] = /^data: (.*)$/m.exec(answer) ?? []
  const { structuredContent: found, isError } = JSON.parse(sent).result
  expect({ ...found, isError }).toMatchObject({
    isError: undefined,
    baseUrl: proxy.baseUrl,
    service: 'http://localhost:9/v1',
  })
  expect(found).not.toHaveProperty('keys')
})

it('takes a key of the service of a proxy with dots as a whole, which names no namespace', async () => {
  await using sandbox = await createSandbox({ port: 0 })
  const proxy = await createProxy(sandbox.baseUrl, { port: 0 })
  onTestFinished(() => proxy.close())
  await fetch(`${proxy.baseUrl}/pets`, { headers: { authorization: 'Bearer sk.live.abc' } })
  expect(await callTool(proxy, 'list_requests', { key: 'sk.live.abc' })).toContain('req_000001')
})

it('explains a refusal by the service of a proxy, whose limits only the service knows', async () => {
  await using sandbox = await createSandbox({ port: 0 })
  const proxy = await createProxy(sandbox.baseUrl, { port: 0 })
  onTestFinished(() => proxy.close())
  await fetch(`${proxy.baseUrl}/pets`, { headers: { authorization: 'Bearer psk_limited' } })
  const text = await callTool(proxy, 'explain_refusal')
  expect(text).toContain('See answered.why.')
  expect(text).not.toContain('isError')
})
