import { describe, expect, it } from 'vitest'
import { type FaultFlags, faultInputs } from '../../src/cli/fault-input.ts'

describe('the flags of a fault', () => {
  it.each<[FaultFlags, object]>([
    [{ status: '503' }, { match: {}, effect: { status: 503 } }],
    [
      {
        status: '429',
        retryAfter: '0',
        code: '',
        message: 'm',
        operation: 'listPets',
        method: 'GET',
        times: '2',
      },
      {
        match: { operationId: 'listPets', method: 'GET' },
        effect: { status: 429, retryAfter: 0, code: '', message: 'm' },
        times: 2,
      },
    ],
    [
      { wire: 'reset', path: '/v1/*', key: 'psk_pro', when: 'after', probability: '0.5', for: '1m' },
      {
        match: { path: '/v1/*', key: 'psk_pro' },
        effect: { wire: 'reset' },
        when: 'after',
        probability: 0.5,
        for: '1m',
      },
    ],
    [{ holdUntilReleased: true }, { match: {}, effect: { hold: { until: 'released' } } }],
    [
      { holdUntilOperation: 'createPet', holdTimeout: '5s' },
      { match: {}, effect: { hold: { until: { operationId: 'createPet' }, timeout: '5s' } } },
    ],
  ])('%j are one rule', (flags, rule) => {
    expect(faultInputs(flags)).toEqual([rule])
  })

  it.each<[FaultFlags, string]>([
    [{}, 'A fault has exactly one effect.'],
    [{ status: '503', latency: '1s' }, 'A fault has exactly one effect.'],
    [{ wire: 'reset', retryAfter: '5' }, '--retry-after needs --status <status>.'],
    [{ latency: '1s', code: 'x' }, '--code needs --status <status>.'],
    [{ status: '5xx' }, '--status: "5xx" is not a number; use one such as 5'],
    [{ status: ' ' }, '--status: " " is not a number'],
    [{ status: '503', times: 'Infinity' }, '--times: "Infinity" is not a number'],
    [{ holdTimeout: '5s' }, '--hold-timeout needs --hold-until-operation or --hold-until-released.'],
    [{ holdUntilReleased: true, holdUntilOperation: 'x' }, 'exclude each other.'],
    [{ rule: '{}', holdUntilReleased: true }, 'so --hold-until-released cannot be added.'],
    [{ rule: '{' }, '--rule: this is not JSON: '],
  ])('%j are refused: %s', (flags, message) => {
    expect(() => faultInputs(flags)).toThrow(message)
  })
})

describe('a rule in JSON', () => {
  it('is one or several; what the sandbox added to a listed one is left out', () => {
    const rule = { match: {}, effect: { status: 503 }, for: '1m' }
    const listed = { id: 'fault_1', acted: 3, expiresAt: '2026-11-19T12:34:56.000Z', ...rule }
    expect(faultInputs({ rule: JSON.stringify(listed) })).toEqual([rule])
    expect(faultInputs({ rule: JSON.stringify([listed, listed]) })).toEqual([rule, rule])
    expect(faultInputs({ rule: '[]' })).toEqual([])
  })

  it('that is none goes to the sandbox, which says what is valid', () => {
    expect(faultInputs({ rule: 'null' })).toEqual([null])
    expect(faultInputs({ rule: '"x"' })).toEqual(['x'])
  })
})
