import { describe, expect, it } from 'vitest'
import { drawLatency, readLatency } from '../../../src/world/faults/latency.ts'

describe('a latency', () => {
  it('is one duration or a range of two', () => {
    expect(readLatency('200ms')).toEqual({ from: 200, to: 200 })
    expect(readLatency('100ms - 2s')).toEqual({ from: 100, to: 2000 })
    expect(readLatency('1s-1s')).toEqual({ from: 1000, to: 1000 })
  })

  it.each(['300ms-100ms', '1s-2s-3s', 'soon', '', '-1s', '1s-'])('is not %j', (text) => {
    expect(() => readLatency(text)).toThrow(`"${text}" is not a valid `)
  })

  it.each(['2d', '1s-25d'])('is not longer than a day: %j', (text) => {
    expect(readLatency('24h')).toEqual({ from: 86_400_000, to: 86_400_000 })
    expect(() => readLatency(text)).toThrow(`"${text}" is too long; use 1d or less`)
  })

  it('is drawn from the whole range, and uses no random number for a single duration', () => {
    expect([0, 0.5, 1].map((chance) => drawLatency({ from: 100, to: 300 }, () => chance))).toEqual([
      100, 200, 300,
    ])
    const never = () => {
      throw new Error('Chance was taken.')
    }
    expect(drawLatency({ from: 100, to: 100 }, never)).toBe(100)
  })
})
