import { describe, expect, it } from 'vitest'
import { formatDistance, formatDuration, parseDuration, secondsText } from '../../src/time/duration.ts'
import { parseInstant } from '../../src/time/instant.ts'

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['61s', 61_000],
    ['1.5s', 1500],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['PT61S', 61_000],
    ['P1DT2H3M4.5S', 93_784_500],
    ['P2D', 172_800_000],
  ])('reads %s as %i ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds)
  })

  it.each(['', '5', '5 m', '-1s', '1w', 'P', 'PT', 'P1DT', '1h30m', '1e3s'])('refuses "%s"', (text) => {
    expect(() => parseDuration(text)).toThrow(RangeError)
  })
})

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [0.2, '1 ms'],
    [999, '999 ms'],
    [999.2, '1 s'],
    [1000, '1 s'],
    [23_400, '24 s'],
    [59_001, '1 min'],
    [61_000, '1 min 1 s'],
    [3_599_500, '1 h'],
    [41_104_000, '11 h 26 min'],
    [86_399_999, '1 d'],
    [273_600_000, '3 d 4 h'],
    [251_606_433_600_000, '2,912,111 d 12 h'],
  ])('writes %i ms as %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text)
  })

  it('has a direction relative to now', () => {
    expect(formatDistance(24_000, 0)).toBe('in 24 s')
    expect(formatDistance(0, 180_000)).toBe('3 min ago')
    expect(formatDistance(0, 86_461_000)).toBe('1 d ago')
    expect(formatDistance(86_461_000, 0)).toBe('in 1 d 1 h')
    expect(formatDistance(7, 7)).toBe('now')
  })
})

describe('parseInstant', () => {
  it.each([
    ['2030-12-05T00:00:00Z', '2030-12-05T00:00:00.000Z'],
    ['2030-12-05T00:00:00.25Z', '2030-12-05T00:00:00.250Z'],
    ['2030-12-05T00:00Z', '2030-12-05T00:00:00.000Z'],
    ['2030-12-05T01:00:00+01:00', '2030-12-05T00:00:00.000Z'],
    ['2030-12-05', '2030-12-05T00:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ])('reads %s', (text, iso) => {
    expect(new Date(parseInstant(text)).toISOString()).toBe(iso)
  })

  it.each([
    '',
    'now',
    '2030',
    '2030-12',
    '2030-12-05T00:00:00',
    '2030-02-30',
    '2030-02-30T00:00:00Z',
    '2030-13-01',
    '1764892800',
  ])('refuses "%s"', (text) => {
    expect(() => parseInstant(text)).toThrow(/is not a valid instant/)
  })
})

it('a time in seconds is rounded up below a second, so that it is never 0', () => {
  expect([0.2, 999, 999.2, 1000, 3249].map(secondsText)).toEqual([
    '1 ms',
    '999 ms',
    '1.0 s',
    '1.0 s',
    '3.2 s',
  ])
})
