import { expect, it } from 'vitest'
import { jsonLine, line } from '../../src/views/line.ts'
import { exchange } from '../domain/exchange.ts'

const plain = (text: string) => text
const paint = { dim: plain, good: plain, warn: plain, bad: plain }

it('shows no key whole, percent-encoded or not', () => {
  const sent = exchange({
    path: '/v1/psk%5Ffree',
    query: 'a=psk%5Fpro&b=psk_business.w1',
    refusal: { code: 'route_not_found', message: 'There is no /v1/psk%5Ffree here.' },
  })
  for (const text of [line(sent, paint), jsonLine(sent)]) {
    expect(text).not.toMatch(/(_|5F)(free|pro|business)/)
    expect(text).toContain('psk_…')
  }
})
