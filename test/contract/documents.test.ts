import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createSandbox, type SandboxOptions } from '../../src/compose/sandbox.ts'
import type { OpenApiDocument } from '../../src/contract/openapi/document.ts'
import { temporaryFolder } from '../support/folder.ts'
import { overlaysShown } from '../support/overlays.ts'

const folder = temporaryFolder()

async function served(
  options: SandboxOptions = {},
  path = '/openapi.json',
  headers = {},
): Promise<OpenApiDocument> {
  await using sandbox = await createSandbox({ listen: false, ...options })
  return parse(await (await sandbox.fetch(path, { headers })).text())
}

async function problems(document: OpenApiDocument): Promise<string[]> {
  // The sandbox runs on localhost.
  const config = await createConfig({ extends: ['recommended'], rules: { 'no-server-example.com': 'off' } })
  const found = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: 'openapi.json',
    config,
  })
  return found.map(({ ruleId, message }) => `${ruleId}: ${message}`)
}

const operations = (document: OpenApiDocument) => Object.keys(document.paths).sort()

describe('the served document', () => {
  it.each<[string, SandboxOptions]>([
    ['by default', {}],
    ['strict', { strict: true }],
    ['with the orders mocked', { decisions: { orders: 'mock' } }],
    [
      'with every switch the other way',
      {
        decisions: {
          'list.limit': 'clamp',
          'list.status': 'ignore',
          'get.invalidId': '400',
          'ban.status': '403',
          'create.blankName': 'reject',
          'create.status': 'sold',
          'errors.codes': 'pet_not_found:gone',
        },
      },
    ],
    ['after the removal', { now: '2031-01-01T00:00:00Z' }],
  ])('passes the recommended rules %s', async (_, options) => {
    expect(await problems(await served(options))).toEqual([])
  })

  it.each(overlaysShown())('passes them with the overlay of $name', async ({ name, text }) => {
    const overlay = join(folder, `${name.replace(/\W/g, '-')}.yaml`)
    writeFileSync(overlay, text)
    for (const now of ['2026-11-19T00:00:00Z', '2031-01-01T00:00:00Z']) {
      const strict = { overlay, now, strict: true, decisions: { 'get.invalidId': '400' } }
      expect(await problems(await served({ overlay, now }))).toEqual([])
      expect(await problems(await served(strict))).toEqual([])
    }
  })

  it('passes them for the control API too', async () => {
    expect(await problems(await served({}, '/_sandbox/openapi.json'))).toEqual([])
  })

  it('has no schema of the control API that contains itself, which Swagger UI cannot resolve in allOf', async () => {
    const { schemas = {} } = (await served({}, '/_sandbox/openapi.json')).components ?? {}
    const used = (name: string): string[] =>
      [...JSON.stringify(schemas[name]).matchAll(/schemas\/(\w+)"/g)].map(([, each]) => each as string)
    const contained = (names: string[]): string[] => {
      const all = [...new Set([...names, ...names.flatMap(used)])]
      return all.length === names.length ? all : contained(all)
    }
    expect(Object.keys(schemas).filter((name) => contained(used(name)).includes(name))).toEqual([])
  })

  it('names the address at which the control API was asked for it, for tools that keep it in a file', async () => {
    const { servers } = await served({}, '/_sandbox/openapi.json', { host: 'localhost:4011' })
    expect(servers).toEqual([{ url: 'http://localhost:4011/_sandbox', description: 'This sandbox' }])
  })

  it('names the path of the control API to a proxy, which may have another scheme', async () => {
    const headers = { host: 'pets.example', 'x-forwarded-proto': 'https', authorization: 'Bearer let-me-in' }
    const { servers } = await served({ controlToken: 'let-me-in' }, '/_sandbox/openapi.json', headers)
    expect(servers).toEqual([{ url: '/_sandbox', description: 'This sandbox' }])
  })

  it.each(['/openapi.json', '/_sandbox/openapi.json'])(
    'has no schema in %s with the name that orval gives the result of an operation',
    async (path) => {
      const { paths, components } = await served({}, path)
      const results = Object.values(paths)
        .flatMap((item) => Object.values(item as Record<string, { operationId?: string }>))
        .map(({ operationId }) => `${operationId}Result`.toLowerCase())
      const names = Object.keys(components?.schemas ?? {})
      expect(results.length).toBeGreaterThan(1)
      expect(names.filter((name) => results.includes(name.toLowerCase()))).toEqual([])
    },
  )

  it('is the same in YAML', async () => {
    expect(await served({}, '/openapi.yaml')).toEqual(await served())
  })

  it('has the statements of the interface', async () => {
    const document = await served()
    expect(document.openapi).toBe('3.1.0')
    expect(document.info.version).toBe('1.0.0')
    expect(operations(document)).toEqual(['/pets', '/pets/{petId}'])
    const { get, post } = document.paths['/pets'] ?? {}
    const one = document.paths['/pets/{petId}']?.get
    for (const [operation, id] of [
      [get, 'listPets'],
      [post, 'createPet'],
      [one, 'getPet'],
    ] as const) {
      expect(operation).toMatchObject({ operationId: id, tags: ['animals'] })
      expect(Object.keys(operation?.responses ?? {})).toEqual(
        expect.arrayContaining(['401', '429', 'default']),
      )
    }
    expect(one?.deprecated).toBe(true)
    expect(get?.deprecated).toBeUndefined()
    expect(JSON.stringify(document)).not.toContain('x-stability')
    expect((document['x-tagGroups'] as { name: string }[]).map(({ name }) => name)).toEqual(['Store', 'Pets'])
    expect(document.servers).toEqual([{ url: 'http://localhost:4010/v1', description: 'This sandbox' }])
    expect(one?.parameters).toMatchObject([
      { examples: { rex: { value: 1 }, pet_not_found: { value: 999 } } },
    ])
  })

  it('describes only responses that the decisions in force allow', async () => {
    const usual = await served()
    expect(usual.paths['/pets/{petId}']?.get?.responses).not.toHaveProperty('400')
    expect(usual.paths['/pets']?.get?.responses).not.toHaveProperty('403')
    const other = await served({ decisions: { 'get.invalidId': '400', 'ban.status': '403', orders: 'mock' } })
    expect(other.paths['/pets/{petId}']?.get?.responses).toHaveProperty('400')
    expect(other.paths['/pets']?.get?.responses).toHaveProperty('403')
    expect(other.paths['/store/orders']?.get).toMatchObject({ 'x-stability': 'experimental' })
  })

  it('is that of the namespace in the query, or of the key in the request', async () => {
    await using sandbox = await createSandbox({ listen: false })
    await sandbox.namespace('later').clock.set('2030-12-05T00:00:00Z')
    const paths = async (path: string, key?: string) => {
      const response = await sandbox.fetch(path, {
        headers: { ...(key && { authorization: `Bearer ${key}` }) },
      })
      return operations(await response.json())
    }
    expect(await paths('/openapi.json')).toContain('/pets/{petId}')
    expect(await paths('/openapi.json?namespace=later')).toEqual(['/pets'])
    expect(await paths('/openapi.json', 'psk_pro.later')).toEqual(['/pets'])
    expect(await paths('/openapi.json?namespace=default', 'psk_pro.later')).toContain('/pets/{petId}')
    expect(await paths('/openapi.json', 'nope')).toContain('/pets/{petId}')
  })

  it('is readable by pages of every origin, and not metered', async () => {
    await using sandbox = await createSandbox({ listen: false })
    const response = await sandbox.fetch('/openapi.json')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect((await sandbox.report()).requests).toBe(0)
    expect((await sandbox.fetch('/openapi.json', { method: 'POST' })).status).toBe(405)
  })
})

describe('an overlay', () => {
  let files = 0
  const overlay = (text: string): string => {
    const file = join(folder, `overlay-${++files}.yaml`)
    writeFileSync(file, text)
    return file
  }

  it('changes, adds and removes; operations that it adds are answered from the contract', async () => {
    const file = overlay(`
overlay: 1.0.0
info: { title: Team, version: 1.0.0 }
actions:
  - target: $.paths['/pets'].get
    update: { x-stability: beta }
  - target: $.components.schemas.NewPet.properties.name
    update: { maxLength: 5 }
  - target: $.tags[0].description
    remove: true
  - target: $.paths
    update:
      /categories:
        get:
          operationId: listCategories
          tags: [animals]
          responses:
            '200':
              description: Categories.
              content:
                application/json:
                  schema: { type: array, items: { type: object, required: [title], properties: { title: { type: string } } } }
                  examples: { two: { value: [{ title: Cats }, { title: Dogs }] } }
`)
    await using sandbox = await createSandbox({ listen: false, overlay: file })
    const document: OpenApiDocument = await (await sandbox.fetch('/openapi.json')).json()
    expect(document.paths['/pets']?.get).toMatchObject({ 'x-stability': 'beta', operationId: 'listPets' })
    expect(document.tags).toEqual([{ name: 'animals' }])
    const headers = { authorization: 'Bearer psk_free', 'content-type': 'application/json' }
    const categories = await sandbox.fetch('/v1/categories', { headers })
    expect(categories.status).toBe(200)
    expect(await categories.json()).toEqual([{ title: 'Cats' }, { title: 'Dogs' }])
    expect(categories.headers.get('x-ratelimit-remaining')).toBe('59')
    expect((await sandbox.fetch('/v1/categories')).status).toBe(401)
    const long = await sandbox.fetch('/v1/pets', {
      method: 'POST',
      headers,
      body: '{"name":"toolong","categoryId":1}',
    })
    expect(await long.json()).toMatchObject({
      status: 400,
      code: 'invalid_body',
      message: expect.stringContaining('name'),
    })
  })

  it('adds rules that requests must follow', async () => {
    const file = overlay(`
overlay: 1.0.0
info: { title: Team, version: 1.0.0 }
actions:
  - target: $.paths
    update:
      /categories:
        post:
          operationId: createCategory
          parameters:
            - { name: dry, in: query, schema: { type: boolean } }
            - { name: tag, in: query, schema: { type: array, items: { type: string } } }
          requestBody:
            required: true
            content:
              application/json: { schema: { type: object, required: [title], properties: { title: { type: string } } } }
          responses:
            '201': { description: Made., content: { application/json: { schema: { type: object }, example: { id: 1 } } } }
`)
    await using sandbox = await createSandbox({ listen: false, overlay: file })
    const post = async (query: string, body?: string, type = 'application/json') => {
      const headers = { authorization: 'Bearer psk_pro', ...(body !== undefined && { 'content-type': type }) }
      const init = { method: 'POST', headers, ...(body !== undefined && { body }) }
      const response = await sandbox.fetch(`/v1/categories${query}`, init)
      return [response.status, (await response.json()).code]
    }
    expect(await post('', '{"title":"Dogs"}')).toEqual([201, undefined])
    expect(await post('?dry=true&tag=a&tag=b', '{"title":"Dogs"}')).toEqual([201, undefined])
    expect(await post('', '{"title":5}')).toEqual([400, 'invalid_body'])
    expect(await post('', '{')).toEqual([400, 'invalid_json'])
    expect(await post('')).toEqual([400, 'invalid_body'])
    expect(await post('', '{"title":"Dogs"}', 'text/plain')).toEqual([415, 'unsupported_media_type'])
    expect(await post('', `{"title":"${'x'.repeat(200_000)}"}`)).toEqual([413, 'body_too_large'])
    expect(await post('?dry=maybe', '{"title":"Dogs"}')).toEqual([400, 'invalid_parameter'])
    expect(await post('?colour=red', '{"title":"Dogs"}')).toEqual([201, undefined])
    const [entry] = (await sandbox.requests()).slice(-1)
    expect(entry?.warnings).toEqual(['parameter colour is not known and was ignored'])
  })

  it.each([
    ['no overlay', 'openapi: 3.1.0', /overlay: 1\.0\.0/],
    ['no actions', 'overlay: 1.0.0', /actions/],
    ['a bad target', 'overlay: 1.0.0\nactions: [{ target: "$..[", remove: true }]', /cannot be used/],
    [
      'a missing operation',
      'overlay: 1.0.0\nactions: [{ target: "$.paths[\'/pets\'].post", remove: true }]',
      /createPet/,
    ],
  ])('that is %s is refused with file and reason', async (_, text, reason) => {
    const file = overlay(text)
    await expect(createSandbox({ listen: false, overlay: file })).rejects.toThrow(reason)
    await expect(createSandbox({ listen: false, overlay: file })).rejects.toThrow(file)
  })
})
