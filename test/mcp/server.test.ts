import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, expect, it, vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'

afterEach(() => vi.restoreAllMocks())

it('compiles its tools once, however many requests it answers', async () => {
  await using sandbox = await createSandbox({ listen: false })
  const ask = async () => {
    const { status } = await sandbox.fetch('/_sandbox/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'get_report', arguments: {} },
      }),
    })
    return status
  }
  expect(await ask()).toBe(200)
  const compile = vi.spyOn(Ajv2020.prototype, 'compile')
  expect(await ask()).toBe(200)
  expect(compile).not.toHaveBeenCalled()
})

it('refuses a namespace in its address, which no tool would use', async () => {
  await using sandbox = await createSandbox({ listen: false })
  const response = await sandbox.fetch('/_sandbox/mcp?namespace=w1', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  expect(await response.json()).toMatchObject({
    status: 400,
    message: 'namespace is not a parameter here; known: none',
  })
})
