import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import { afterEach, expect, it } from 'vitest'
import { selectableSandboxes } from '../../src/cli/commands/mcp.ts'
import { controlContract } from '../../src/contract/control.ts'
import { controlTools } from '../../src/mcp/control-tools.ts'
import { mcpServers } from '../../src/mcp/server.ts'
import { ownTools } from '../../src/mcp/tools.ts'
import { stubControl } from './run-cli.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** The tools of an MCP process with this address and token. */
async function toolsOf(url: string, token: string) {
  const sandboxes = selectableSandboxes(url, token)
  const { document } = controlContract()
  const server = mcpServers(sandboxes, { document, processes: sandboxes })()
  const client = new Client({ name: 'test', version: '1' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(far), client.connect(near)])
  closing.push(() => client.close(), sandboxes.stop)
  return async (name: string, args: Record<string, unknown> = {}) => {
    const { structuredContent, isError = false } = await client.callTool({ name, arguments: args })
    // biome-ignore lint/suspicious/noExplicitAny: a test asserts the members that it reads
    return { isError, value: structuredContent as any }
  }
}

const CLOCK = { 'GET /clock': { now: '2030-01-01T00:00:00.000Z', frozen: true }, 'GET /namespaces': [] }

it('sends the token to the configured sandbox, and to none that an argument names', async () => {
  await using configured = await stubControl(CLOCK)
  await using other = await stubControl(CLOCK)
  const call = await toolsOf(configured.url, 's3cret')
  await call('turn_clock')
  expect(configured.calls.map(({ authorization }) => authorization)).toEqual(['Bearer s3cret'])
  await call('find_sandbox', { url: other.url })
  await call('turn_clock')
  expect(other.calls.length).toBeGreaterThan(1)
  expect(other.calls.map(({ authorization }) => authorization).filter(Boolean)).toEqual([])
  expect((await call('find_sandbox', { url: 'http://127.0.0.1:1' })).isError).toBe(true)
  expect(await call('turn_clock')).toMatchObject({ isError: false })
  await call('find_sandbox', { url: `${configured.url}/v1` })
  expect(configured.calls.at(-1)?.authorization).toBe('Bearer s3cret')
})

it('hands out no revoked keys', async () => {
  const call = await toolsOf('http://localhost:9', 's3cret')
  const { value: found } = await call('start_sandbox')
  const headers = { authorization: 'Bearer s3cret' }
  await fetch(found.baseUrl.replace(/v1$/, '_sandbox/keys/psk_pro'), { method: 'DELETE', headers })
  for (const name of ['find_sandbox', 'create_world']) {
    const { keys } = (await call(name)).value
    expect(keys.length).toBe(found.keys.length - 1)
    expect(JSON.stringify(keys)).not.toContain('psk_pro')
  }
})

it('sends the token to the sandbox that it started', async () => {
  const call = await toolsOf('http://localhost:9', 's3cret')
  const { value } = await call('start_sandbox')
  expect((await fetch(value.baseUrl.replace(/v1$/, '_sandbox/clock'))).status).toBe(401)
  expect(await call('turn_clock')).toMatchObject({ isError: false, value: { frozen: false } })
})

it.each(['http://192.0.2.1', 'https://sandbox.example:4010/v1', 'http://127.0.0.1.example'])(
  'no argument selects another machine: %s',
  async (url) => {
    const call = await toolsOf('http://localhost:9', 's3cret')
    const { isError, value } = await call('find_sandbox', { url })
    expect(isError).toBe(true)
    expect(value).toMatchObject({ code: 'invalid_arguments', message: expect.stringContaining('--url') })
  },
)

it('starts one sandbox only; after it is stopped, tools use the configured one again', async () => {
  await using configured = await stubControl(CLOCK)
  const call = await toolsOf(configured.url, 's3cret')
  const { value } = await call('start_sandbox')
  expect(await call('start_sandbox')).toMatchObject({
    isError: true,
    value: { message: expect.stringContaining(`${value.baseUrl.replace(/\/v1$/, '')} was started here`) },
  })
  await call('stop_sandbox')
  expect(await call('turn_clock')).toMatchObject({ isError: false, value: CLOCK['GET /clock'] })
})

it('of two simultaneous starts, only one starts a sandbox', async () => {
  const call = await toolsOf('http://localhost:9', 's3cret')
  const [first, second] = await Promise.all([call('start_sandbox'), call('start_sandbox')])
  expect([first.isError, second.isError]).toEqual([false, true])
  const [stopped, again] = await Promise.all([call('stop_sandbox'), call('start_sandbox')])
  expect([stopped.value, again.isError]).toEqual([{ stopped: true }, false])
})

it('a search that fails keeps what was selected meanwhile', async () => {
  let origin = 'http://localhost:1'
  const use = (url: string) => {
    origin = url
  }
  const call = async () => {
    use('http://localhost:3')
    throw new Error('gone')
  }
  const [find] = ownTools({ use, start: async () => {}, stop: async () => false })
  const searched = find?.run({ origin: () => origin, call }, { url: 'http://localhost:2' })
  await expect(searched).rejects.toThrow('gone')
  expect(origin).toBe('http://localhost:3')
})

it('a switch that is false is not given', async () => {
  await using configured = await stubControl(CLOCK)
  const call = await toolsOf(configured.url, 's3cret')
  expect(await call('turn_clock', { reset: false })).toMatchObject({ isError: false })
  expect(configured.calls.map(({ method }) => method)).not.toContain('DELETE')
  expect(await call('turn_clock', { reset: 'no' })).toMatchObject({
    isError: true,
    value: { message: 'reset must be true, or left out' },
  })
})

it('starts with the built-in fixtures only, and reads no file', async () => {
  const call = await toolsOf('http://localhost:9', 's3cret')
  const { value } = await call('start_sandbox', { fixture: '/etc/passwd' })
  expect(value).toMatchObject({
    code: 'invalid_arguments',
    message: 'fixture must be one of default, empty, sold-out, busy, edge-cases, not "/etc/passwd"',
  })
})

it('reports a missing namespace on a read, and creates none', async () => {
  const call = await toolsOf('http://localhost:9', 's3cret')
  await call('start_sandbox')
  await call('create_world', { name: 'worker-1' })
  for (const name of ['get_report', 'list_requests', 'explain_refusal', 'get_limits', 'list_faults']) {
    const { isError, value } = await call(name, { namespace: 'wroker-1' })
    expect({ name, isError, message: value.message }).toMatchObject({
      isError: true,
      message: expect.stringContaining('There is no namespace "wroker-1". Did you mean worker-1?'),
    })
  }
  const verified = await call('verify_requests', { namespace: 'wroker-1', match: {}, times: { exactly: 0 } })
  expect(verified.isError).toBe(true)
  const { namespaces } = (await call('find_sandbox')).value
  expect(namespaces.map(({ name }: { name: string }) => name)).toEqual(['default', 'worker-1'])
})

it('reports wrong arguments with the messages of the control API', async () => {
  const call = await toolsOf('http://localhost:9', 's3cret')
  await call('start_sandbox')
  const wrong: [string, Record<string, unknown>, string][] = [
    ['seed_pets', { count: 'five' }, 'count must be an integer from 0 to 1,000,000'],
    ['turn_clock', { advanced: '61s' }, 'advanced is not known here; known: '],
    ['verify_requests', {}, 'match is required'],
    ['set_limits', { remaining: 1 }, 'key is required'],
    ['set_limits', { remaining: 1, key: 'psk_pro.w1', namespace: 'w2' }, 'psk_pro.w1 names the namespace w1'],
    ['clear_faults', { rule: 'a.b' }, 'There is no fault a.b.'],
    ['clear_faults', { rule: '..' }, 'rule: ".." is not valid; use a text of at least one character'],
    ['clear_faults', { '': 1 }, '[""] is not known here; known: namespace, rule, hold'],
    ['reset_world', { namespace: ['w1'] }, 'namespace must be one text or number'],
    ['reset_world', { namespace: { w1: [] } }, 'namespace must be one text or number'],
    ['get_report', { namespace: { w1: [] } }, 'namespace must be one text or number'],
    ['rewind_world', { undo: false }, 'undo must be true'],
    ['create_world', { name: 'a.b' }, 'name must be a name of 1 to 64 of A-Z a-z 0-9 _ -'],
    ['stop_sandbox', { now: true }, 'now is not known here; known: none'],
  ]
  for (const [name, args, message] of wrong) {
    const { isError, value } = await call(name, args)
    expect({ name, args, isError, ...value }).toMatchObject({
      isError: true,
      code: expect.not.stringMatching('failed'),
      message: expect.stringContaining(message),
    })
  }
})

it('the schemas have the defaults of the tools', () => {
  const schemas = new Map(
    controlTools(controlContract().document).map((tool) => [tool.name, tool.properties]),
  )
  expect(schemas.get('list_requests')?.limit).toMatchObject({ type: 'integer', default: 20 })
  expect(schemas.get('wait_for_request')?.within).toMatchObject({ default: '5s' })
  expect(schemas.get('get_limits')?.key).toMatchObject({ type: 'string', default: 'psk_pro' })
})

it('the description of a tool fits the tool, even if that of its operation does not', () => {
  const tools = controlTools(controlContract().document)
  const texts = new Map(tools.map(({ name, description }) => [name, description]))
  expect(texts.get('set_limits')).toContain('With banSeconds: Ban a key from now on. Every request')
  expect(texts.get('set_limits')).not.toMatch(/`seconds`|DELETE/)
  expect(texts.get('seed_pets')).toContain('Over HTTP, the arguments have at most 256 KiB')
  expect(texts.get('seed_pets')).not.toContain('16 MiB')
})

it('an unknown point or branch of a rewind is refused with the advice to list them', async () => {
  const call = await toolsOf('http://localhost:9', 's3cret')
  await call('start_sandbox')
  for (const args of [{ undo: true }, { undo: true, branch: 'branch_9' }, { to: 'req_000099' }])
    expect((await call('rewind_world', args)).value).toMatchObject({
      code: 'history_gone',
      fix: expect.stringContaining('branch that still exists'),
    })
})

it('acts on the namespace of a key', async () => {
  const call = await toolsOf('http://localhost:9', 's3cret')
  await call('start_sandbox', { freeze: true })
  await call('set_limits', { key: 'psk_pro.w1', remaining: 5 })
  const left = async (args: object) => (await call('get_limits', { ...args })).value.minute.remaining
  expect(await left({ key: 'psk_pro.w1' })).toBe(5)
  expect(await left({ key: 'psk_pro', namespace: 'w1' })).toBe(5)
  expect(await left({})).toBe(300)
  expect((await call('get_limits', { key: 'psk_pro.w2' })).value.message).toContain(
    'There is no namespace "w2".',
  )
})

it('selects the operation of a tool by its arguments', async () => {
  const call = await toolsOf('http://localhost:9', 's3cret')
  await call('start_sandbox', { freeze: true })
  await call('create_world', { name: 'w1' })
  const set = (args: object) => call('set_limits', { namespace: 'w1', key: 'psk_pro.w1', ...args })
  expect((await set({ remaining: 5 })).value).toMatchObject({ minute: { remaining: 5 } })
  expect((await set({ refill: true })).value).toMatchObject({ minute: { remaining: 300 } })
  expect((await set({ banSeconds: 60 })).value).toMatchObject({ ban: { seconds: 60 } })
  expect((await set({ lift: true })).value).toMatchObject({ ban: null })
  expect((await call('get_limits')).value).toMatchObject({ plan: 'pro' })
  for (const args of [{}, { refill: true, lift: true }]) {
    expect((await set(args)).value).toMatchObject({
      code: 'invalid_arguments',
      message: 'Use exactly one of remaining, refill, banSeconds, lift.',
    })
  }
  expect((await set({ leave: 1 })).value.message).toBe(
    'leave is not known here; known: key, namespace, remaining, refill, banSeconds, lift',
  )
  expect((await call('turn_clock', { namespace: 'w1', advance: '1d' })).value.frozen).toBe(true)
  expect((await call('turn_clock', { namespace: 'w1', reset: true })).value.frozen).toBe(false)
  const { value: rule } = await call('add_fault', { effect: { status: 503 } })
  expect((await call('list_faults')).value).toEqual({ rules: [rule], holds: [] })
  expect((await call('clear_faults', { rule: rule.id })).value).toEqual({ done: true })
  expect((await call('list_faults')).value.rules).toEqual([])
})

it('refuses a number that lost its digits before it stores another one', async () => {
  const call = await toolsOf('http://localhost:9', 's3cret')
  await call('start_sandbox')
  const pet = { name: 'Kit', categoryId: 1 }
  const pets = [pet, { ...pet, id: JSON.parse('9007199254740993') }]
  expect(await call('seed_pets', { namespace: 'w', pets })).toMatchObject({
    isError: true,
    value: {
      code: 'invalid_arguments',
      message: expect.stringContaining(
        'pets[1].id lost its last digits on the way; here integers are exact up to',
      ),
    },
  })
  expect(await call('seed_pets', { namespace: 'w', pets: [pet] })).toMatchObject({ isError: false })
})
