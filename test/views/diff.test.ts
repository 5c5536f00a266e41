import { describe, expect, it } from 'vitest'
import type { KeyLimits, StateDiff } from '../../src/contract/generated/control.types.d.ts'
import { PLAIN as paint } from '../../src/views/colours.ts'
import { diffText, requestDifferenceText } from '../../src/views/diff.ts'
import { UNLIMITED } from '../../src/world/plan.ts'

type Pet = StateDiff['added']['first'][number]
const none = { count: 0, first: [] }
const diff = (members: Partial<StateDiff> = {}): StateDiff => ({
  added: none,
  removed: none,
  changed: { ...none, was: [] },
  nextId: { a: 1, b: 1 },
  ...members,
})
const limits = (members: Partial<KeyLimits> = {}): KeyLimits => ({
  key: 'psk_free',
  plan: 'free',
  minute: { limit: 60, remaining: 60 },
  day: { limit: 1000, remaining: 1000 },
  ban: null,
  ...members,
})
/** The cells of the only row of a table. */
const row = (a: Partial<KeyLimits>, b: Partial<KeyLimits>) =>
  diffText(diff({ limits: { count: 1, first: [{ a: limits(a), b: limits(b) }] } }), paint)
    .trimEnd()
    .split('\n')
    .at(-1)
    ?.split(/ {2,}/)

describe('pets', () => {
  const pet = { id: 1, name: 'Rex\u001b[2J', categoryId: 2 }

  it('are listed with their change, safe for a terminal', () => {
    const text = diffText(
      diff({ added: { count: 101, first: [pet] }, changed: { count: 1, first: [pet], was: [pet] } }),
      paint,
    )
    expect(text).toMatch(/^101 added, 0 removed, 1 changed; the first 100 of each\n/)
    expect(text).toContain('Rex\\u001b[2J')
    expect(text).not.toContain('\u001b')
  })

  it('have every digit of their ids', () => {
    const first = [{ ...pet, id: 9223372036854775807n as unknown as number }]
    expect(diffText(diff({ removed: { count: 1, first } }), paint)).toContain('9223372036854775807')
  })

  it.each<[object, object, string]>([
    [{}, { status: 'sold' }, 'STATUS changed 1 Rex 2 - → sold'],
    [
      { name: 'Kit', status: 'sold' },
      { categoryId: 3, status: 'sold' },
      'STATUS changed 1 Kit → Rex 2 → 3 sold',
    ],
    [{ size: 1 }, { size: 1, note: 'new' }, 'STATUS OTHER FIELDS changed 1 Rex 2 - note: - → new'],
    [
      { tags: ['a'], born: 9223372036854775807n, note: 'x' },
      { tags: ['a', 'b'], born: 1, note: 'x' },
      'STATUS OTHER FIELDS changed 1 Rex 2 - tags: ["a"] → ["a","b"], born: 9223372036854775807 → 1',
    ],
    [
      { note: `${'x'.repeat(100)}old` },
      { note: `${'x'.repeat(100)}new` },
      `STATUS OTHER FIELDS changed 1 Rex 2 - note: ${'x'.repeat(100)}… → ${'x'.repeat(100)}…`,
    ],
  ])('%# have both values of each field that differs', (was, is, shown) => {
    const [a, b] = [was, is].map((fields) => ({ id: 1, name: 'Rex', categoryId: 2, ...fields }))
    const text = diffText(diff({ changed: { count: 1, first: [b as Pet], was: [a as Pet] } }), paint)
    expect(text.replace(/\s+/g, ' ')).toBe(`0 added, 0 removed, 1 changed WHAT ID NAME CATEGORY ${shown} `)
  })

  it('may be equal, also if the next id differs', () => {
    expect(diffText(diff(), paint)).toBe('No pet differs.\n')
    const text = diffText(diff({ nextId: { a: 13, b: 14 }, limits: none }), paint)
    expect(text).toBe('No pet differs.\nThe next id differs: 13 → 14\nNo limits differ.\n')
  })
})

describe('limits', () => {
  it.each<[Partial<KeyLimits>, Partial<KeyLimits>, string[]]>([
    [
      {},
      { minute: { limit: 60, remaining: 58 }, ban: { seconds: 30 } },
      ['psk_free', 'free', '60 → 58 of 60', '1,000 of 1,000', '- → 30 s'],
    ],
    [
      {},
      { plan: 'pro', minute: { limit: 300, remaining: 60 } },
      ['psk_free', 'free → pro', '60 of 60 → 60 of 300', '1,000 of 1,000', '-'],
    ],
    [
      { minute: { limit: UNLIMITED, remaining: UNLIMITED } },
      { minute: { limit: UNLIMITED, remaining: UNLIMITED - 1 } },
      ['psk_free', 'free', 'unlimited', '1,000 of 1,000', '-'],
    ],
    [
      { ban: { seconds: 30 } },
      { ban: { seconds: 120 }, minute: { limit: UNLIMITED, remaining: UNLIMITED } },
      ['psk_free', 'free', '60 of 60 → unlimited', '1,000 of 1,000', '30 s → 120 s'],
    ],
  ])('%# have both values', (a, b, cells) => {
    expect(row(a, b)).toEqual(cells)
  })

  it('are omitted if one of the two states has none', () => {
    expect(diffText(diff(), paint)).not.toContain('limits')
    expect(diffText(diff({ limits: none }), paint)).toBe('No pet differs.\nNo limits differ.\n')
  })
})

describe('requests', () => {
  const name = (request: string) => ({ command: 3, request, requestId: 'req_000002' })

  it.each([
    ['inserted', 'only b has'],
    ['missing', 'only a has'],
    ['reply', 'First request with another response'],
    ['request', 'First request that differs'],
  ] as const)('the first that differs: %s', (kind, words) => {
    const [a, b] = [kind === 'inserted' ? null : name('GET /a'), kind === 'missing' ? null : name('GET /b')]
    const text = requestDifferenceText({ kind, namespace: 'w1', a, b })
    expect(text).toContain(`${words}, in namespace w1:\n`)
    expect(text.includes('  a: GET /a, command 3, req_000002')).toBe(a !== null)
    expect(text.includes('  b: GET /b')).toBe(b !== null)
  })

  it('a long target is cut, and all may be equal', () => {
    const text = requestDifferenceText({
      kind: 'missing',
      namespace: 'default',
      a: name('x'.repeat(300)),
      b: null,
    })
    expect(text).toContain(`a: ${'x'.repeat(200)}…, command`)
    expect(requestDifferenceText(undefined)).toBe('No request or response differs.\n')
  })
})
