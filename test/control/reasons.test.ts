import { describe, expect, it } from 'vitest'
import type { JournalEntry } from '../../src/contract/generated/control.types.d.ts'
import { api, sandbox, sandboxPerTest } from './client.ts'

sandboxPerTest()

const create = () => api('/pets', { key: 'psk_free', json: { name: 'Kit', categoryId: 1 } })

async function last(): Promise<JournalEntry> {
  const entry = (await sandbox.requests()).at(-1)
  if (!entry) throw new Error('nothing was journaled')
  expect(entry.why).toBe(entry.reason.text)
  return entry
}

describe('the reason of a journal entry', () => {
  it('of a served request: the remaining requests, and the change', async () => {
    await create()
    expect(await last()).toMatchObject({
      why: 'Served; psk_free has 59 of 60 requests left in this minute.',
      reason: { code: 'served', window: 'minute', limit: 60 },
      quota: {
        before: { minute: { limit: 60, remaining: 60 }, day: { limit: 1000, remaining: 1000 } },
        after: { minute: { remaining: 59 }, day: { remaining: 999 } },
      },
      changed: { change: 'created', id: '13', pets: { before: 12, after: 13 } },
    })
  })

  it('of a refusal: the window, its limit and its end', async () => {
    await sandbox.clock.set('2026-11-19T12:00:00Z')
    await sandbox.clock.freeze()
    await api('/pets', { key: 'psk_limited' })
    const { reason, why, at, quota } = await last()
    expect([at, reason.until]).toEqual(['2026-11-19T12:00:00.000Z', '2026-11-19T12:01:00.000Z'])
    expect(why).toBe('The limit of 60 requests per minute of psk_limited is used up until 12:01:00 UTC.')
    expect([quota?.before.minute.remaining, quota?.after.minute.remaining]).toEqual([60, 0])
    await sandbox.clock.advance('61s')
    await api('/pets', { key: 'psk_banned' })
    expect((await last()).why).toBe(
      'With this refusal a ban begins: every request of psk_banned is refused until 12:03:01 UTC.',
    )
  })

  it('of a lost answer, even after the rule is removed', async () => {
    await sandbox.faults.add({ effect: { wire: 'reset' }, when: 'after', times: 1 })
    await create().catch(() => {})
    await sandbox.faults.clear()
    expect(await last()).toMatchObject({
      why: expect.stringMatching(
        /^The request was carried out and pet 13 was stored, then the fault rule fault_1/,
      ),
      reason: { code: 'lost', short: 'stored, answer lost', fault: { wire: 'reset' }, when: 'after' },
      effect: { rule: 'fault_1', kind: 'lost', carriedOut: true, status: 201 },
    })
  })

  it('of a lost answer to a refused request: nothing was stored', async () => {
    await sandbox.faults.add({ effect: { status: 503 }, when: 'after', times: 1 })
    await api('/pets', { key: 'psk_free', json: { name: 7 } })
    const { why, changed, effect } = await last()
    expect([changed, effect?.status]).toEqual([undefined, 400])
    expect(why).toContain('refused with 400')
  })

  it('of a held request that was stored', async () => {
    await sandbox.faults.add({ effect: { hold: { until: 'released' } }, when: 'after', times: 1 })
    const created = create()
    let [hold] = await sandbox.holds.list()
    while (!hold) [hold] = await sandbox.holds.list()
    await sandbox.holds.release(hold.id)
    expect((await created).status).toBe(201)
    const { why, reason, effect } = await last()
    expect([reason.code, effect?.carriedOut]).toEqual(['held', true])
    expect(why).toMatch(
      /^The request was carried out and pet 13 was stored, then .* held the response for .*, until it was released\.$/,
    )
  })

  it('of a held request that was released before the one for which it waited', async () => {
    const until = { operationId: 'createPet' }
    await sandbox.faults.add({ effect: { hold: { until } }, match: { operationId: 'listPets' }, times: 1 })
    const listed = api('/pets', { key: 'psk_free' })
    let [hold] = await sandbox.holds.list()
    while (!hold) [hold] = await sandbox.holds.list()
    await sandbox.holds.release(hold.id)
    await listed
    expect((await last()).why).toMatch(/held the request for .*, until it was released\./)
  })

  it('has the findings of a delayed request, since no rule produced them', async () => {
    await sandbox.faults.add({ effect: { latency: '1ms' } })
    expect((await api('/pets', { key: 'psk_pro', json: { name: 7 } })).status).toBe(400)
    const { findings, effect } = await last()
    expect(findings.map(({ kind }) => kind)).toEqual(['invalid-request'])
    expect(effect).toMatchObject({ kind: 'late', carriedOut: false })
    await api('/pets', { key: 'psk_pro', headers: { Prefer: 'code=503' } })
    expect((await last()).findings).toEqual([])
    await api('/pets', { key: 'psk_unstable' })
    expect((await last()).findings).toEqual([])
    expect((await api('/pets', { key: 'psk_flaky', json: { name: 7 } })).status).toBe(400)
    expect((await last()).findings.map(({ kind }) => kind)).toEqual(['invalid-request'])
  })

  it('has the finding of a retry that came too early while an earlier request was held', async () => {
    const key = 'psk_free'
    await sandbox.fetch(`/_sandbox/keys/${key}/limits`, { method: 'PUT', body: '{"remaining":1}' })
    await sandbox.faults.add({ effect: { hold: { until: 'released' } }, times: 1 })
    const first = api('/pets', { key })
    let [hold] = await sandbox.holds.list()
    while (!hold) [hold] = await sandbox.holds.list()
    expect((await api('/pets', { key })).status).toBe(429)
    await sandbox.holds.release(hold.id)
    await first
    await api('/pets', { key })
    const early = (await sandbox.requests()).filter(({ findings }) =>
      findings.some(({ kind }) => kind === 'early-retry'),
    )
    expect(early.map(({ id }) => id)).toEqual(['req_000003'])
  })

  it('of a delayed request, with any answer', async () => {
    await sandbox.faults.add({ effect: { latency: '1ms' } })
    await api('/pets/999', { key: 'psk_free' })
    expect((await last()).why).toMatch(/delayed the request by .* There is no pet with this id/)
    await api('/pets', { key: 'psk_free', headers: { Prefer: 'code=503' } })
    expect((await last()).why).toMatch(/delayed the request by .* The client asked for this response/)
    await api('/pets', { key: 'psk_unstable' })
    expect((await last()).why).toMatch(/delayed the request by .*: the trigger key psk_unstable failed it\./)
  })
})
