import { describe, expect, it } from 'vitest'
import { createSandbox, type SandboxOptions } from '../../../src/compose/sandbox.ts'
import type { ClientOptions } from '../../../src/tools/conformance/client.ts'
import { check, EVERYTHING, idsOf, resultOf } from './check.ts'

async function checkSandbox(
  options: SandboxOptions,
  key = 'psk_free',
  fetch?: NonNullable<ClientOptions['fetch']>,
) {
  await using sandbox = await createSandbox({ listen: false, ...options })
  return await check({
    baseUrl: sandbox.baseUrl,
    key,
    ...EVERYTHING,
    fetch: fetch ?? ((input, init) => sandbox.fetch(input, init)),
    sleep: (milliseconds) => sandbox.clock.advance(`${Math.round(milliseconds)}ms`),
  })
}

describe('the sandbox passes', () => {
  it('completely, over a socket', async () => {
    const report = await checkSandbox({ listen: true, port: 0 }, 'psk_free', fetch)
    expect(idsOf(report, 'failed')).toEqual([])
    expect(idsOf(report, 'skipped')).toEqual([])
  })

  it.each(['empty', 'sold-out', 'busy', 'edge-cases'])('with the fixture %s', async (fixture) => {
    expect(idsOf(await checkSandbox({ fixture }), 'failed')).toEqual([])
  })

  it.each<[string, SandboxOptions]>([
    ['strict', { strict: true }],
    ['limits.report=day', { decisions: { 'limits.report': 'day' } }],
    ['limits.report=minute', { decisions: { 'limits.report': 'minute' } }],
    ['limits.minute=clock', { decisions: { 'limits.minute': 'clock' } }],
    ['list.limit=clamp', { decisions: { 'list.limit': 'clamp', 'list.status': 'ignore' } }],
    ['list.order=newest', { decisions: { 'list.order': 'newest' } }],
    ['create.status=available', { decisions: { 'create.status': 'available' } }],
    ['get.invalidId=400', { decisions: { 'get.invalidId': '400' } }],
    ['orders=mock', { decisions: { orders: 'mock' } }],
    ['a day that is used up within the minute', { limits: { free: '60/50' } }],
    ['a ban at the second refusal', { decisions: { 'ban.after': '2' } }],
    ['a ban that is 403', { decisions: { 'ban.after': '2', 'ban.status': '403' } }],
    ['a ban of a year', { decisions: { 'ban.after': '2', 'ban.seconds': '31536000' } }],
    ['getPet removed', { now: '2030-12-05T00:00:00Z' }],
    ['getPet removed with 404', { now: '2031-01-01T00:00:00Z', decisions: { 'get.afterRemoval': '404' } }],
    ['getPet kept', { now: '2031-01-01T00:00:00Z', decisions: { 'get.afterRemoval': 'serve' } }],
  ])('with the options: %s', async (_, options) => {
    expect(idsOf(await checkSandbox(options), 'failed')).toEqual([])
  })

  it('with a key without limits', async () => {
    const report = await checkSandbox({ limits: { enterprise: 'unlimited/unlimited' } }, 'psk_enterprise')
    expect(idsOf(report, 'failed')).toEqual([])
    expect(resultOf(report, 'exhaust-limit').reason).toBe('this key has no limit')
  })

  it('with a key whose minute is used up at the start', async () => {
    const report = await checkSandbox({}, 'psk_limited')
    expect(idsOf(report, 'failed')).toEqual([])
    expect(idsOf(report, 'skipped')).toEqual([])
  })
})
