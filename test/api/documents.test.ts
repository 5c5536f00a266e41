import { describe, expect, it } from 'vitest'
import { createDocuments, isDocument } from '../../src/api/documents.ts'
import { effectiveDocuments } from '../../src/contract/openapi/effective-document.ts'
import { policyWith } from '../world/policy.ts'
import { callOf, contract, newWorlds, request } from './call.ts'

const AFTER_REMOVAL = Date.parse('2031-01-01T00:00:00Z')

function documents(decisions: Record<string, unknown> = {}) {
  const policy = policyWith(decisions)
  const worlds = newWorlds()
  const late = worlds.get('late', Date.now())
  late.turnClock(0, (clock) => clock.set(AFTER_REMOVAL, 0))
  late.turnClock(0, (clock) => clock.freeze(0))
  let written = 0
  const answer = createDocuments({
    policy,
    worlds,
    effectiveDocument: effectiveDocuments(contract.document, policy, () => 'http://localhost:4010/v1'),
    toYaml: async (document) => {
      written++
      return `# ${Object.keys(document.paths).join(' ')}`
    },
    summary: async () => '# summary',
  })
  const send = (target: string, method = 'GET', headers: string[] = []) =>
    answer(callOf({ target, method, headers }, { worlds }))
  /** The time in the header fields. */
  const timeOf = async (target: string, headers: string[] = []) => {
    const call = callOf({ target, headers }, { worlds })
    await answer(call)
    return call.now
  }
  return { send, timeOf, written: () => written }
}

const has = (text: unknown): boolean => String(text).includes('/pets/{petId}')

describe('the documents', () => {
  it('have three paths, which are matched literally', async () => {
    const { send } = documents()
    for (const target of ['/openapi.json', '/openapi.yaml?x', '/llms.txt'])
      expect(isDocument(request({ target })), target).toBe(true)
    expect(await send('/openapi.json')).toMatchObject({ status: 200 })
    expect(await send('/openapi.yaml?x')).toMatchObject({ status: 200, mediaType: 'application/yaml' })
    expect(await send('/llms.txt', 'HEAD')).toMatchObject({ text: '# summary' })
    for (const target of ['/openapi.json/', '/v1/openapi.json', '/openapi%2Ejson', '/']) {
      expect(isDocument(request({ target })), target).toBe(false)
    }
  })

  it('are read-only', async () => {
    const { send } = documents()
    expect(await send('/openapi.json', 'PUT')).toMatchObject({
      status: 405,
      headers: ['Allow', 'GET, HEAD, OPTIONS'],
      refusal: { code: 'method_not_allowed' },
    })
  })

  it('are those of the namespace in the query or in the key, at its virtual time', async () => {
    const { send, timeOf } = documents()
    expect(await timeOf('/openapi.json')).toBeLessThan(AFTER_REMOVAL)
    expect(await timeOf('/openapi.json?namespace=late')).toBe(AFTER_REMOVAL)
    expect(await timeOf('/openapi.json', ['Authorization', 'Bearer psk_pro.late'])).toBe(AFTER_REMOVAL)
    const text = async (target: string, key?: string) =>
      (await send(target, 'GET', key === undefined ? [] : ['Authorization', `Bearer ${key}`]))?.text
    expect(has(await text('/openapi.json'))).toBe(true)
    expect(has(await text('/openapi.json?namespace=late'))).toBe(false)
    expect(has(await text('/openapi.json', 'psk_free.late'))).toBe(false)
    expect(has(await text('/openapi.yaml', 'psk_free.late'))).toBe(false)
    expect(has(await text('/openapi.json', 'psk_removed'))).toBe(false)
    // The query has precedence; an unknown key selects no namespace.
    expect(has(await text('/openapi.json?namespace=default', 'psk_free.late'))).toBe(true)
    expect(has(await text('/openapi.json', 'psk_nobody.late'))).toBe(true)
    // The second question mark belongs to the name of the parameter.
    expect(has(await text('/openapi.json??namespace=late'))).toBe(true)
  })

  it('say that their namespace does not exist, and make none', async () => {
    const { send } = documents()
    const headers = async (target: string, key = 'psk_free') =>
      (await send(target, 'GET', ['Authorization', `Bearer ${key}`])).headers
    const mark = ['X-Sandbox-Namespace', 'new']
    for (const path of ['/openapi.json', '/openapi.yaml', '/openapi.json']) {
      expect(await headers(`${path}?namespace=none`)).toEqual(mark)
      expect(await headers(path, 'psk_free.none')).toEqual(mark)
    }
    for (const target of ['/openapi.json', '/openapi.yaml?namespace=late', '/openapi.json?namespace=default'])
      expect(await headers(target), target).toEqual([])
    expect(await headers('/openapi.json', 'psk_nobody.none')).toEqual([])
  })

  it('refuse an invalid namespace', async () => {
    const { send } = documents()
    for (const name of ['', 'a.b', 'w'.repeat(65)]) {
      const message = `namespace must be a name of 1 to 64 of A-Z a-z 0-9 _ -, not "${name}"`
      expect(await send(`/openapi.json?namespace=${name}`), name).toMatchObject({
        status: 400,
        refusal: { message },
      })
    }
  })

  it('are serialised once for each content', async () => {
    const { send, written } = documents()
    await send('/openapi.yaml')
    await send('/openapi.yaml')
    expect(written()).toBe(1)
    await send('/openapi.yaml?namespace=late')
    expect(written()).toBe(2)
    const [first, again] = [await send('/openapi.json'), await send('/openapi.json')]
    expect(again?.text).toBe(first?.text)
  })
})
