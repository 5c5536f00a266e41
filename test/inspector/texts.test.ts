import { describe, expect, it } from 'vitest'
import { bareKey, isMasked } from '../../src/inspector/text/keys.ts'
import { snippets } from '../../src/inspector/views/connect/snippets.ts'
import { faultText, holdText } from '../../src/inspector/views/instruments/fault-text.ts'
import { placeOf, scale, share } from '../../src/inspector/views/timeline/scale.ts'

describe('a fault rule in one line', () => {
  it.each([
    [{ effect: { status: 503 } }, 'every request → 503'],
    [
      { match: { operationId: 'listPets', key: 'psk_pro' }, effect: { latency: '1s' } },
      'listPets of psk_pro → 1s',
    ],
    [
      { match: { method: 'GET', path: '/v1/*' }, effect: { wire: 'reset' }, when: 'after' },
      'GET /v1/* → connection reset, carried out',
    ],
    [{ effect: { hold: { until: 'released' } } }, 'every request → held until released'],
  ] as const)('%j is %s', (rule, text) => {
    expect(faultText(rule)).toBe(text)
  })

  it('is short, and shows what cannot be seen, whatever is in it', () => {
    const long = `\u202e${'x'.repeat(1000)}`
    const text = faultText({ match: { path: long, key: long }, effect: { hold: { until: { path: long } } } })
    expect(text.length).toBeLessThan(250)
    expect(text).not.toContain('\u202e')
    expect(holdText({})).toBe('held until any request')
  })
})

describe('the place of an instant in the plot', () => {
  it('is a share of what is shown, never beyond it', () => {
    scale.value = { from: 1000, to: 3000, step: 10 }
    expect([share(0), share(1000), share(1500), share(9000)]).toEqual([0, 0, 0.25, 1])
    expect(placeOf(0, 2000)).toEqual({ left: '0%', width: '50%' })
  })

  it('is a place also where all is one instant', () => {
    scale.value = { from: 1000, to: 1000, step: 10 }
    expect([share(999), share(1000), share(1001)]).toEqual([0, 0, 1])
  })
})

it('a key is shown without the name of its namespace', () => {
  expect(['psk_pro', 'psk_pro.w1', 'a.b.c', '.w1', ''].map(bareKey)).toEqual([
    'psk_pro',
    'psk_pro',
    'a',
    '',
    '',
  ])
  expect(['psk_…', 'psk_pro'].map(isMasked)).toEqual([true, false])
})

it('every snippet has the address and the key of this sandbox, as far as it is about it', () => {
  for (const [name, text] of snippets('http://localhost:5000/v1', 'psk_free.w1')) {
    // It starts a sandbox of its own.
    if (name === 'Vite plugin') continue
    expect(text, name).toContain('http://localhost:5000')
    if (name !== 'Vite proxy' && name !== 'Playwright') expect(text, name).toContain('psk_free.w1')
  }
})
