import { describe, expect, it } from 'vitest'
import type { KeyLimits, StateDiff } from '../../src/contract/generated/control.types.d.ts'
import { PLAIN as paint } from '../../src/views/colours.ts'
import { diffText, requestDifferenceText } from '../../src/views/diff.ts'
import { UNLIMITED } from '../../src/world/plan.ts'

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

  it('may be equal', () => {
    expect(diffText(diff(), paint)).toBe('No pet differs.\n')
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
    ['reply', 'First request with another reply'],
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
    expect(requestDifferenceText(undefined)).toBe('No request or reply differs.\n')
  })
})
