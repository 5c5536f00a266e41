import { expect, it } from 'vitest'
import { type BannerFacts, banner, readyLine } from '../../src/views/banner.ts'
import { PLAIN as paint } from '../../src/views/colours.ts'
import { PLAN_NAMES } from '../../src/world/plan.ts'
import { policyWith } from '../world/policy.ts'

const shown = (facts: Partial<BannerFacts> = {}, decisions: Record<string, unknown> = {}) =>
  banner(
    {
      version: '1.2.3',
      baseUrl: 'http://localhost:4010/v1',
      controlUrl: 'http://localhost:4010/_sandbox',
      dataFile: null,
      pets: 12,
      policy: policyWith(decisions),
      keys: Object.fromEntries(PLAN_NAMES.map((plan) => [`psk_${plan}`, plan])),
      ...facts,
    },
    paint,
  )

it('fits a terminal of 80 columns and 24 lines, with the ready line', () => {
  const most = { 'plans.free': '99999999/99999999', 'plans.enterprise': 'unlimited/unlimited' }
  const lines =
    `${shown({ pets: 1_000_000, addresses: ['http://192.168.100.100:4010/v1'] }, most)}${readyLine('http://localhost:4010/v1')}`.split(
      '\n',
    )
  expect(lines.length).toBeLessThanOrEqual(24)
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80)
})

it('has the addresses, and the number of pets', () => {
  expect(shown({ pets: 1 })).toContain('data      in memory, 1 pet\n')
  expect(shown({ dataFile: 'a\u001b[2J.json' })).toContain('data      a\\u001b[2J.json, 12 pets\n')
  expect(shown({ baseUrl: 'http://h:1/v1' })).toContain('openapi   http://h:1/openapi.json\n')
  expect(shown({}, { 'plans.free': '2147483647/2147483647' })).toContain(
    ' 2,147,483,647 per minute 2,147,483,647 per day\n',
  )
  expect(shown({}, { 'plans.pro': 'unlimited/5' })).toMatch(/psk_pro +pro +unlimited per minute +5 per day/)
})

it('has the plan that a key was given', () => {
  expect(shown({ keys: { psk_pro: 'free' } })).toContain(
    'keys      psk_pro         free                 60 per minute      1,000 per day\n',
  )
})
