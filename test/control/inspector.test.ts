import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { api, call, FROZEN, sandbox, sandboxPerTest, start } from './client.ts'

sandboxPerTest()

const create = (name: string, key = 'psk_pro') => api('/pets', { key, json: { name, categoryId: 1 } })
const statusOf = async (key: string): Promise<number> => (await api('/pets', { key })).status

describe('the page', () => {
  const page = (path: string, headers: HeadersInit = {}) => sandbox.fetch(`/_sandbox${path}`, { headers })

  it('is open, even if data needs a token, and runs only its own scripts', async () => {
    await start({ ...FROZEN, controlToken: 's3cret' })
    const { status, headers } = await page('/', { host: 'elsewhere.example' })
    expect(status).toBe(200)
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
    expect((await page('/health')).status).toBe(401)
  })

  it('is compressed if the client accepts that, and has files with immutable content', async () => {
    const html = await (await page('/')).text()
    const name = /src="\.(\/assets\/[^"]+\.js)"/.exec(html)?.[1] as string
    const plain = await page(name)
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(plain.headers.get('cache-control')).toContain('immutable')
    expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    const zipped = await page(name, { 'accept-encoding': 'br;q=0, gzip' })
    expect(zipped.headers.get('content-encoding')).toBe('gzip')
    const bytes = new Uint8Array(await zipped.arrayBuffer())
    expect(gunzipSync(bytes).toString()).toBe(await plain.text())
    expect(
      (await page(name, { 'accept-encoding': 'gzip, deflate, br' })).headers.get('content-encoding'),
    ).toBe('br')
  })

  it('is the target of a redirect of / for browsers; other clients still get an Error', async () => {
    const root = (accept?: string) => sandbox.fetch('/', { headers: accept ? { accept } : {} })
    const browser = await root('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8')
    expect([browser.status, browser.headers.get('location')]).toEqual([302, '/_sandbox/'])
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5', undefined]) {
      const { status, headers } = await root(accept)
      expect([status, headers.get('content-type')], accept).toEqual([404, 'application/json'])
    }
    expect((await sandbox.requests()).length).toBe(4)
    const html = await (await page('/')).text()
    const bare = await (await sandbox.fetch('/_sandbox')).text()
    // Relative, for any prefix: a path without a trailing slash has another parent.
    expect(bare).toBe(html.replaceAll('"./', '"./_sandbox/'))
    expect(html).not.toMatch(/(src|href)="\//)
  })
})

describe('the history of a page', () => {
  it('has the effect of a clock change at its place in real time; undone entries stay, with their branch', async () => {
    await start({ ...FROZEN })
    await create('Kit')
    const events = await sandbox.fetch('/_sandbox/events')
    const reader = (events.body as ReadableStream<Uint8Array>).getReader()
    await call('POST', '/clock', { advance: '1d' })
    await create('Max')
    const [, move] = (await call('GET', '/history')).body
    expect(move).toMatchObject({
      id: 'ctl_000001',
      what: 'clock +1d',
      line: ['clock', 'advance', '1d'],
      frozen: true,
    })
    expect(Date.parse(move.after) - Date.parse(move.at)).toBe(86_400_000)
    let streamed = ''
    while (!streamed.includes('Max')) streamed += Buffer.from((await reader.read()).value ?? []).toString()
    expect(JSON.parse(/data: (.*"point".*)/.exec(streamed)?.[1] ?? '').point).toEqual(move)
    await reader.cancel()
    await call('POST', '/rewind', { to: 'ctl_000001' })
    const ids = (list: { id: string; branch?: string }[]) => list.map(({ id, branch }) => [id, branch])
    expect(ids((await call('GET', '/requests')).body)).toEqual([['req_000001', undefined]])
    expect(ids((await call('GET', '/requests?branch=*')).body)).toEqual([
      ['req_000001', undefined],
      ['req_000002', 'branch_1'],
    ])
    const undone = (await call('GET', '/history?branch=branch_1')).body.slice(1)
    expect(ids(undone)).toEqual([
      ['ctl_000001', 'branch_1'],
      ['req_000002', 'branch_1'],
      ['branch_1', undefined],
    ])
    const { what, at, after } = undone.at(-1)
    expect([what, Date.parse(at) - Date.parse(after) > 86_000_000]).toEqual(['back before ctl_000001', true])
  })

  it('names the key of an undone request, even if its issue is undone too', async () => {
    const keyNames = async (path: string) =>
      (await call('GET', path)).body.map(({ keyName }: { keyName?: string }) => keyName)
    await create('Kit')
    for (const namespace of ['default', 'w1']) {
      const { key } = await sandbox.namespace(namespace).keys.create({ plan: 'pro' })
      await statusOf(key)
      await call('POST', `/rewind?namespace=${namespace}`, { to: 'ctl_000001' })
    }
    expect(await keyNames('/requests?branch=*')).toEqual(['psk_pro', 'pro key 1'])
    expect(await keyNames('/requests?branch=*&namespace=w1')).toEqual(['own pro key 1'])
  })

  it('distinguishes issued keys without showing them', async () => {
    const keys = ['psk_free_aaab0000000000000000', 'psk_free_aaac0000000000000000', 'short']
    for (const key of keys) {
      await call('POST', '/keys', { plan: 'free', key })
      await statusOf(key)
    }
    await statusOf('unknown')
    const names = (await call('GET', '/requests')).body.map(({ keyName }: { keyName?: string }) => keyName)
    expect(names).toEqual(['free key 1', 'free key 2', 'free key 3', undefined])
    const listed = (await call('GET', '/keys')).body
    expect(listed.find(({ key }: { key: string }) => key === keys[1]).name).toBe('free key 2')
    expect(listed[0].name).toBe('psk_free')
    expect(listed[0].limits).toEqual((await call('GET', '/keys/psk_free/limits')).body)
  })

  it('names the key that was issued, as everywhere', async () => {
    await call('POST', '/keys', { plan: 'free' })
    await call('POST', '/keys', { plan: 'pro' })
    const words = (await call('GET', '/history')).body.map(({ what }: { what: string }) => what)
    expect(words).toEqual(['free key 1 issued', 'pro key 2 issued'])
    // A later key of `default` changes no name in other namespaces.
    const { key } = (await call('POST', '/keys?namespace=w1', { plan: 'free' })).body
    await statusOf(key)
    await call('POST', '/keys', { plan: 'free' })
    const { body } = await call('GET', '/history?namespace=w1')
    expect(body[0].what).toBe('own free key 1 issued')
    const nameIn = async (query: string) =>
      (await call('GET', `/keys?namespace=w1${query}`)).body.find((each: { key: string }) => each.key === key)
        .name
    expect([await nameIn(''), await nameIn('&at=req_000001')]).toEqual(['own free key 1', 'own free key 1'])
  })

  it('has the test, the findings and the origin of each namespace, and the fixtures', async () => {
    await create('Kit')
    await create('Kit')
    await call('PUT', '/label', { label: 'adds a pet' })
    await call('POST', '/fork', { into: 'w2', at: 'req_000002', side: 'before' })
    expect((await call('GET', '/namespaces')).body).toMatchObject([
      { name: 'default', test: 'adds a pet', findings: 1 },
      { name: 'w2', origin: { namespace: 'default', at: 'req_000002', side: 'before' } },
    ])
    expect((await call('GET', '/health')).body.fixtures).toContain('sold-out')
  })
})

describe('a range of the pets', () => {
  it('begins at any position or id, and returns the total', async () => {
    await call('POST', '/seed', { count: 500, seed: 1, status: { available: 60, pending: 30, sold: 10 } })
    await create('Kit')
    const ids = async (query: string) => {
      const { body, headers } = await call('GET', `/pets?${query}`)
      return [body.map(({ id }: { id: number }) => id), headers.get('x-total-count')]
    }
    expect(await ids('skip=498&limit=2')).toEqual([[499, 500], '501'])
    expect(await ids('skip=499')).toEqual([[500, 501], '501'])
    expect(await ids('after=500')).toEqual([[501], '501'])
    expect(await ids('after=501')).toEqual([[], '501'])
    expect(await ids('after=10&skip=3&limit=1')).toEqual([[14], '501'])
    const [sold, count] = await ids('status=sold&limit=1000')
    expect([sold?.length, count]).toEqual([50, '50'])
    expect((await ids('status=sold&skip=40'))[0]).toEqual(sold?.slice(40))
    for (const query of ['limit=1', 'status=sold&q=kit'])
      expect((await call('GET', `/pets?${query}`)).headers.get('x-status-counts')).toBe(
        'available=300&pending=150&sold=50',
      )
  })

  it('has only pets whose name or id matches', async () => {
    const pets = ['Kit', 'Max', 'KITTY', 'Rex 2'].map((name, i) => ({
      name,
      categoryId: 1,
      status: i % 2 ? 'sold' : 'available',
    }))
    await call('POST', '/seed', { pets })
    const found = async (query: string) => {
      const { body, headers } = await call('GET', `/pets?${query}`)
      return [body.map(({ name }: { name: string }) => name), headers.get('x-total-count')]
    }
    expect(await found('q=kit')).toEqual([['Kit', 'KITTY'], '2'])
    expect(await found('q=kit&skip=1')).toEqual([['KITTY'], '2'])
    expect(await found('q=kit&after=1&limit=1')).toEqual([['KITTY'], '2'])
    expect(await found('q=2')).toEqual([['Max', 'Rex 2'], '2'])
    expect(await found('q=x&status=sold')).toEqual([['Max', 'Rex 2'], '2'])
    expect(await found('q=nobody')).toEqual([[], '0'])
    expect(await found('q=')).toEqual([['Kit', 'Max', 'KITTY', 'Rex 2'], '4'])
    await call('POST', '/seed', { count: 1200, seed: 1 })
    await create('Zebra')
    expect(await found('q=zebra')).toEqual([['Zebra'], '1'])
  })

  it('keeps every digit of an id', async () => {
    await call('POST', '/seed', '{"pets":[{"id":9223372036854775806,"name":"Max","categoryId":1}]}')
    expect((await call('GET', '/pets?after=9007199254740993')).text).toContain('"id":9223372036854775806')
  })

  it.each(['limit=1001', 'limit=0', 'skip=-1', 'status=gone', 'after=x'])('refuses %s', async (query) => {
    expect((await call('GET', `/pets?${query}`)).body.code).toBe('invalid_parameter')
  })
})

describe('setting the remaining requests of a key', () => {
  it('lets exactly that many through', async () => {
    const { status, body } = await call('PUT', '/keys/psk_free/limits', { remaining: 2 })
    expect([status, body.minute.remaining]).toEqual([200, 2])
    expect([await statusOf('psk_free'), await statusOf('psk_free'), await statusOf('psk_free')]).toEqual([
      200, 200, 429,
    ])
    await call('POST', '/clock', { advance: '60s' })
    expect(await statusOf('psk_free')).toBe(200)
  })

  it('adds requests if fewer were left, also in the window of a day', async () => {
    await start({ ...FROZEN, limits: { free: '3/4' } })
    for (let i = 0; i < 3; i++) await statusOf('psk_free')
    await call('PUT', '/keys/psk_free/limits', { remaining: 3 })
    expect([await statusOf('psk_free'), await statusOf('psk_free'), await statusOf('psk_free')]).toEqual([
      200, 200, 200,
    ])
    await call('PUT', '/keys/psk_limited/limits', { remaining: 1 })
    expect([await statusOf('psk_limited'), await statusOf('psk_limited')]).toEqual([200, 429])
  })

  it('refuses a number above the limit of the plan', async () => {
    const { status, body } = await call('PUT', '/keys/psk_free/limits', { remaining: 61 })
    expect([status, body.message]).toEqual([400, expect.stringContaining('allows 60 requests per minute')])
    expect((await call('PUT', '/keys/nobody/limits', { remaining: 1 })).status).toBe(404)
    await start({ ...FROZEN, limits: { free: 'unlimited/10', pro: '1/10' } })
    expect((await call('PUT', '/keys/psk_free/limits', { remaining: 1 })).status).toBe(400)
    expect((await call('PUT', '/keys/psk_pro/limits', { remaining: 2 })).body.message).toMatch(
      /allows 1 request per minute$/,
    )
  })
})

describe('the journal', () => {
  const paths = async (query: string) =>
    (await call('GET', `/requests?${query}`)).body.map((entry: { path: string }) => entry.path)

  it('is read in pages, and searched', async () => {
    for (const id of [1, 2, 3]) await api(`/pets/${id}`)
    await create('Zebulon')
    expect(await paths('before=req_000003&limit=1')).toEqual(['/v1/pets/2'])
    expect(await paths('q=zEBUlon')).toEqual(['/v1/pets'])
    expect(await paths('q=content-type: application/json&limit=1')).toEqual(['/v1/pets'])
    expect((await call('GET', '/requests?before=req_9')).status).toBe(404)
  })
})

describe('following events', () => {
  /** The events that `act` causes, up to one with the text `last`. */
  async function eventsOf(query: string, last: string, act: () => Promise<unknown>): Promise<string> {
    const controller = new AbortController()
    const { body } = await sandbox.fetch(`/_sandbox/events?${query}`, { signal: controller.signal })
    await act()
    let text = ''
    for await (const chunk of body as ReadableStream<Uint8Array>) {
      text += new TextDecoder().decode(chunk)
      if (text.includes(last)) break
    }
    controller.abort()
    return text
  }

  it('sends a given number a second, and counts the others by their status', async () => {
    const text = await eventsOf('rate=10', 'event: more', async () => {
      for (let i = 0; i < 14; i++) await api('/pets')
      await api('/pets/999')
    })
    expect(text.match(/event: request/g)).toHaveLength(10)
    expect(text).toContain('"count":5,"statuses":{"200":4,"404":1}')
  })

  it('of all namespaces names those whose requests are gone', async () => {
    const text = await eventsOf('namespace=*', '"changed":["requests"]', async () => {
      for (const name of ['w1', 'w2', 'w3']) await statusOf(`psk_pro.${name}`)
      await call('POST', '/clock?namespace=w1', { advance: '1d' })
      await call('DELETE', '/namespaces/w2')
      await call('POST', '/rewind?namespace=w3', { to: 'req_000001' })
      await call('DELETE', '/requests')
    })
    expect(text.match(/event: gone\ndata: .*/g)).toEqual(
      ['w2', 'w3'].map((name) => `event: gone\ndata: {"namespace":"${name}"}`),
    )
  })

  it('of all namespaces names one that was dropped to make room', async () => {
    const text = await eventsOf('namespace=*&rate=1', '"changed":["requests"]', async () => {
      for (let i = 0; i < 1000; i++) await statusOf(`psk_pro.w${i}`)
      await call('DELETE', '/requests')
    })
    expect(text.match(/event: gone\ndata: .*/g)).toEqual(['event: gone\ndata: {"namespace":"w0"}'])
  })
})

describe('sending again', () => {
  it('repeats a request with its key, and is metered', async () => {
    await create('Kit')
    const { status, body } = await call('POST', '/requests/req_000001/resend')
    expect([status, body.status, body.operationId]).toEqual([200, 201, 'createPet'])
    expect(body.id).toBe('req_000002')
    expect(body.warnings).toEqual(['possible duplicate of req_000001'])
    expect((await call('GET', '/keys/psk_pro/limits')).body.minute.remaining).toBe(298)
  })

  it('accepts edits of path, query, headers and body', async () => {
    await create('Kit')
    const edited = await call('POST', '/requests/req_000001/resend', {
      edits: {
        body: '{"name":"Rex","categoryId":9007199254740993}',
        headers: { authorization: 'Bearer psk_free.w1' },
      },
    })
    expect([edited.body.namespace, edited.body.plan]).toEqual(['w1', 'free'])
    expect(edited.body.response.body).toContain('9007199254740993')
    const read = {
      edits: {
        method: 'get',
        path: '/v1/pets',
        query: 'limit=1',
        body: '',
        headers: { authorization: null },
      },
    }
    expect((await call('POST', '/requests/req_000001/resend', read)).body.status).toBe(401)
    const document = { edits: { path: '/openapi.json' } }
    expect(await call('POST', '/requests/req_000001/resend', document)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('edits.path must be a path of the API') },
    })
  })

  it('sends to another namespace with the same key, also with an issued one', async () => {
    const { key } = (await call('POST', '/keys', { plan: 'free' })).body
    await create('Kit', key)
    await call('POST', '/fork', { into: 'w2', at: 'req_000001', side: 'before' })
    const { status, body } = await call('POST', '/requests/req_000001/resend', { into: 'w2' })
    expect([status, body.namespace, body.plan, body.status, body.findings]).toEqual([
      200,
      'w2',
      'free',
      201,
      [],
    ])
    expect((await call('GET', '/pets?namespace=w2')).body).toHaveLength(13)
    expect((await call('GET', '/pets')).body).toHaveLength(13)
  })

  it('sends a request that a rewind undid, with its key', async () => {
    const { key } = (await call('POST', '/keys', { plan: 'free' })).body
    await create('Kit', key)
    await call('POST', '/rewind', { to: 'req_000001', side: 'before' })
    expect((await call('POST', '/requests/req_000001/resend')).status).toBe(404)
    const { status, body } = await call('POST', '/requests/req_000001/resend', { branch: 'branch_1' })
    expect([status, body.id, body.plan, body.status]).toEqual([200, 'req_000001', 'free', 201])
    const other = await call('POST', '/requests/req_000002/resend', { branch: 'branch_1' })
    expect([other.status, other.body.message]).toEqual([
      404,
      expect.stringContaining('in branch_1 of default'),
    ])
  })

  it('does not accept a namespace for a request without a key', async () => {
    await sandbox.fetch('/v1/pets')
    const { status, body } = await call('POST', '/requests/req_000001/resend', { into: 'w2' })
    expect([status, body.code]).toEqual([400, 'invalid_body'])
    expect(body.message).toBe(
      'req_000001 would be sent without an API key, and the key of a request names its namespace. Leave out into, or send a key in edits.headers.authorization.',
    )
    const resent = (Authorization: string | null) =>
      call('POST', '/requests/req_000001/resend', { into: 'w2', edits: { headers: { Authorization } } })
    for (const key of ['psk_free', 'psk_free.w2']) {
      const sent = await resent(`Bearer ${key}`)
      expect([sent.status, sent.body.namespace, sent.body.plan]).toEqual([200, 'w2', 'free'])
    }
    expect((await resent('Bearer psk_free.w3')).body.message).toBe(
      'edits.headers.authorization names the namespace w3, but into is w2; leave out one of them.',
    )
    expect((await resent(null)).body.message).toBe(body.message)
    // An unknown key, such as a JSON Web Token, may contain dots.
    await api('/pets', { key: 'a.b.w1' })
    const unknown = await call('POST', '/requests/req_000001/resend?namespace=w1', { into: 'w2' })
    expect([unknown.status, unknown.body.namespace, unknown.body.status]).toEqual([200, 'w2', 401])
  })

  it('does not send a body that is not UTF-8', async () => {
    await sandbox.fetch('/v1/pets', {
      method: 'POST',
      headers: { authorization: 'Bearer psk_pro', 'content-type': 'application/json' },
      body: Uint8Array.of(0x7b, 0xff, 0x7d),
    })
    const { status, body } = await call('POST', '/requests/req_000001/resend')
    expect([status, body.message]).toEqual([
      409,
      'The body of req_000001 is not UTF-8. Send a whole one in edits.body.',
    ])
  })

  it('does not send a truncated body, an unknown request or an invalid target', async () => {
    await create('x'.repeat(20_000))
    await create('x'.repeat(200_000))
    for (const [id, why] of [
      ['req_000001', 'was cut at 16 KiB when it was recorded'],
      ['req_000002', 'was not kept'],
    ]) {
      const { status, body } = await call('POST', `/requests/${id}/resend`)
      expect([status, body.message]).toEqual([
        409,
        `The body of ${id} ${why}. Send a whole one in edits.body.`,
      ])
    }
    const whole = { edits: { body: '{"name":"y","categoryId":1}' } }
    expect((await call('POST', '/requests/req_000001/resend', whole)).body.status).toBe(201)
    expect((await call('POST', '/requests/req_000009/resend')).status).toBe(404)
    for (const [edits, why] of [
      [{ path: 'x y' }, 'edits.path must be a path of the API, such as /v1/pets, not "x y"'],
      // Its query would come before that of the request.
      [
        { path: '/v1/pets?limit=1' },
        'edits.path must be a path of the API, such as /v1/pets, not "/v1/pets?limit=1"',
      ],
      [
        { headers: { 'x y': '1' } },
        'edits.headers["x y"] (the name) must be a name of a header field such as X-Trace',
      ],
      [
        { headers: { x: 'a\nb' } },
        'edits.headers.x must be a value of a header field, without line breaks, not "a\\nb"',
      ],
    ] as const) {
      const { body } = await call('POST', '/requests/req_000001/resend', { edits })
      expect([body.code, body.message]).toEqual(['invalid_body', why])
    }
  })

  it('returns its own entry if other namespaces store requests with the same id at the same time', async () => {
    await start({ ...FROZEN, db: join(temporaryFolder(), 'db.json') })
    const keys = Array.from({ length: 20 }, (_, n) => `psk_free.w${n}`)
    for (const key of ['psk_pro', ...keys]) await create('Kit', key)
    const sent = call('POST', '/requests/req_000001/resend')
    const others: Promise<unknown>[] = []
    for (const key of keys) {
      others.push(create('Kit', key))
      await setImmediate()
    }
    const { id, namespace, plan } = (await sent).body
    expect({ id, namespace, plan }).toEqual({ id: 'req_000002', namespace: 'default', plan: 'pro' })
    await Promise.all(others)
  })

  it('returns an error if the journal has no entry of the new request', async () => {
    await create('Kit')
    const options = await call('POST', '/requests/req_000001/resend', { edits: { method: 'OPTIONS' } })
    expect([options.status, options.body.message]).toEqual([
      409,
      expect.stringContaining(
        'answered with 204; the journal has no entry of it: OPTIONS and documents are not recorded',
      ),
    ])
    await sandbox.faults.add({ effect: { hold: { until: 'released' } } })
    const held = call('POST', '/requests/req_000001/resend')
    await expect.poll(() => sandbox.holds.list()).toHaveLength(1)
    await sandbox.rewind('req_000001')
    const { status, body } = await held
    expect([status, body.message]).toEqual([409, expect.stringContaining('its namespace was rewound')])
  })
})

describe('the difference of two states', () => {
  it('has the added, removed and changed pets', async () => {
    await call('POST', '/seed', {
      pets: [
        { name: 'A', categoryId: 1 },
        { name: 'B', categoryId: 1 },
      ],
    })
    await call('PUT', '/snapshots/before')
    await call('POST', '/seed', {
      pets: [
        { id: 2, name: 'Bo', categoryId: 1 },
        { id: 3, name: 'C', categoryId: 1 },
      ],
    })
    const { body } = await call('GET', '/diff?a=snapshot:before&b=now')
    expect(body).toEqual({
      added: { count: 1, first: [{ id: 3, name: 'C', categoryId: 1 }] },
      removed: { count: 1, first: [{ id: 1, name: 'A', categoryId: 1 }] },
      changed: {
        count: 1,
        first: [{ id: 2, name: 'Bo', categoryId: 1 }],
        was: [{ id: 2, name: 'B', categoryId: 1 }],
      },
      nextId: { a: 3, b: 4 },
    })
    expect((await call('GET', '/diff?a=start&b=start')).body.added.count).toBe(0)
    expect((await call('GET', '/diff?a=fixture:empty&b=fixture:sold-out')).body.added.count).toBe(12)
    expect((await call('GET', '/diff?a=fixture:none&b=now')).status).toBe(400)
    expect((await call('GET', '/diff?a=namespace:w9&b=now')).status).toBe(404)
    expect((await call('GET', '/diff?a=snapshot:none&b=now')).status).toBe(404)
    expect((await call('GET', '/diff?a=now')).status).toBe(400)
  })

  it('has points of history, and the keys with different limits if both states have limits', async () => {
    await create('Kit')
    await create('Rex')
    await call('PUT', '/keys/psk_free/ban', { seconds: 60 })
    const diff = async (a: string, b: string) => (await call('GET', `/diff?a=${a}&b=${b}`)).body
    const names = ({ first }: { first: { name: string }[] }) => first.map(({ name }) => name)
    const both = await diff('at:req_000001:before', 'now')
    expect(names(both.added)).toEqual(['Kit', 'Rex'])
    expect(names((await diff('at:req_000001', 'at:req_000002')).added)).toEqual(['Rex'])
    expect(both.limits).toMatchObject({
      count: 2,
      first: [
        { a: { key: 'psk_free', ban: null }, b: { key: 'psk_free', ban: { seconds: 60 } } },
        {
          a: { key: 'psk_pro', minute: { limit: 300, remaining: 300 } },
          b: { key: 'psk_pro', minute: { limit: 300, remaining: 298 } },
        },
      ],
    })
    expect((await diff('start', 'now')).limits).toBeUndefined()
    expect((await diff('now', 'namespace:default')).limits).toEqual({ count: 0, first: [] })
    expect((await diff('at:req_000009', 'now')).code).toBe('history_gone')
    expect((await call('GET', '/diff?a=at:req_1&b=now')).status).toBe(400)
  })

  it('counts more pets than it lists', async () => {
    await call('POST', '/seed', { count: 1200, seed: 1 })
    const { body } = await call('GET', '/diff?a=start&b=now')
    expect([body.added.count + body.changed.count, body.added.first.length]).toEqual([1200, 100])
  })

  it('returns a complete state', async () => {
    await create('Kit')
    const { body } = await call('GET', '/state?of=at:req_000001:before')
    expect([body.pets.length, body.nextId]).toEqual([12, 13])
    expect(body.limits).toContainEqual({
      ...{ key: 'psk_pro', plan: 'pro', ban: null },
      ...{ minute: { limit: 300, remaining: 300 }, day: { limit: 10_000, remaining: 10_000 } },
    })
    expect((await call('GET', '/state?of=start')).body.limits).toBeUndefined()
    expect((await call('GET', '/state?of=snapshot:none')).status).toBe(404)
  })
})
