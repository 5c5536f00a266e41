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
  const ask = (target: string, method = 'GET', headers: string[] = []) =>
    answer(callOf({ target, method, headers }, { worlds }))
  return { ask, written: () => written }
}

const has = (text: unknown): boolean => String(text).includes('/pets/{petId}')

describe('the documents', () => {
  it('are three paths, which are matched as they are written', async () => {
    const { ask } = documents()
    for (const target of ['/openapi.json', '/openapi.yaml?x', '/llms.txt'])
      expect(isDocument(request({ target })), target).toBe(true)
    expect(await ask('/openapi.json')).toMatchObject({ status: 200 })
    expect(await ask('/openapi.yaml?x')).toMatchObject({ status: 200, mediaType: 'application/yaml' })
    expect(await ask('/llms.txt', 'HEAD')).toMatchObject({ text: '# summary' })
    for (const target of ['/openapi.json/', '/v1/openapi.json', '/openapi%2Ejson', '/']) {
      expect(isDocument(request({ target })), target).toBe(false)
    }
  })

  it('can only be read', async () => {
    const { ask } = documents()
    expect(await ask('/llms.txt', 'OPTIONS')).toEqual({
      status: 204,
      headers: ['Allow', 'GET, HEAD, OPTIONS'],
    })
    expect(await ask('/openapi.json', 'PUT')).toMatchObject({
      status: 405,
      headers: ['Allow', 'GET, HEAD, OPTIONS'],
      refusal: { code: 'method_not_allowed' },
    })
  })

  it('are those of the namespace that the query or the key names, at its own time', async () => {
    const { ask } = documents()
    const text = async (target: string, key?: string) =>
      (await ask(target, 'GET', key === undefined ? [] : ['Authorization', `Bearer ${key}`]))?.text
    expect(has(await text('/openapi.json'))).toBe(true)
    expect(has(await text('/openapi.json?namespace=late'))).toBe(false)
    expect(has(await text('/openapi.json', 'psk_free.late'))).toBe(false)
    expect(has(await text('/openapi.yaml', 'psk_free.late'))).toBe(false)
    expect(has(await text('/openapi.json', 'psk_removed'))).toBe(false)
    // The query wins; a wrong key is nobody's.
    expect(has(await text('/openapi.json?namespace=default', 'psk_free.late'))).toBe(true)
    expect(has(await text('/openapi.json', 'psk_nobody.late'))).toBe(true)
  })

  it('refuse a name that no namespace can have', async () => {
    const { ask } = documents()
    for (const name of ['', 'a.b', 'w'.repeat(65)]) {
      expect(await ask(`/openapi.json?namespace=${name}`), name).toMatchObject({ status: 400 })
    }
  })

  it('are written once for each content', async () => {
    const { ask, written } = documents()
    await ask('/openapi.yaml')
    await ask('/openapi.yaml')
    expect(written()).toBe(1)
    await ask('/openapi.yaml?namespace=late')
    expect(written()).toBe(2)
    const [first, again] = [await ask('/openapi.json'), await ask('/openapi.json')]
    expect(again?.text).toBe(first?.text)
  })
})
