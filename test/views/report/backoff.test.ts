import { describe, expect, it } from 'vitest'
import type { JournalEntry } from '../../../src/contract/generated/control.types.d.ts'
import { analyseBackoff, pausesInWords } from '../../../src/views/report/backoff.ts'
import { entry } from '../../support/exchange.ts'

/** Requests of one key: the second of each, its status, and its Retry-After in seconds. */
const journal = (...rows: [at: number, status: number, retryAfter?: number][]): JournalEntry[] =>
  rows.map(
    ([at, status, retryAfter], i): JournalEntry =>
      entry({
        id: `req_${i + 1}`,
        at: new Date(at * 1000).toISOString(),
        status,
        response: { headers: { ...(retryAfter && { 'retry-after': String(retryAfter) }) }, body: '' },
      }),
  )

const early = (...rows: Parameters<typeof journal>) =>
  analyseBackoff(journal(...rows)).early.map(({ entry, why }) => `${entry.id} ${why}`)

describe('backoff', () => {
  it.each([
    ['no refusal', journal([0, 200], [0, 404]), 0],
    ['a refusal without Retry-After', journal([0, 503], [0, 200]), 0],
    ['a refusal at the end', journal([0, 200], [0, 429, 9]), 1],
    ['waiting to the second', journal([0, 429, 9], [9, 200]), 1],
    ['waiting longer each time', journal([0, 503, 1], [1, 503, 1], [3, 503, 1], [7, 200]), 3],
    ['waiting as long each time, as timers go', journal([0, 503, 1], [1.02, 503, 1], [2.021, 200]), 2],
    ['waiting less because it was told so', journal([0, 429, 60], [60, 503, 1], [62, 200]), 2],
    ['a new row of refusals', journal([0, 503, 1], [9, 200], [9, 503, 1], [11, 200]), 2],
  ])('has no complaint about %s', (_, entries, refusals) => {
    expect(analyseBackoff(entries)).toMatchObject({ early: [], refusals })
  })

  it('lists each request that came too early', () => {
    expect(early([0, 429, 20], [8.8, 429, 12], [8.9, 429, 12], [30, 200])).toEqual([
      'req_2 retried 11.2 s before Retry-After had passed',
      'req_3 retried 11.9 s before Retry-After had passed',
    ])
    expect(early([0, 429, 1], [0.75, 200])).toEqual(['req_2 retried 250 ms before Retry-After had passed'])
  })

  it('lists a pause that was shorter than the one before', () => {
    expect(early([0, 503, 1], [4, 503, 1], [6, 200])).toEqual([
      'req_3 came 2.0 s after a refusal, sooner than the 4.0 s of the one before',
    ])
  })

  it('has the pauses of each series of refusals', () => {
    const { pauses } = analyseBackoff(
      journal(
        [0, 503, 1],
        [1, 503, 1],
        [3, 503, 1],
        [7, 200],
        [8, 429, 1],
        [9, 200],
        [9, 429, 2],
        [10, 429, 1],
        [11, 200],
      ),
    )
    expect(pauses.map(pausesInWords)).toEqual([
      'waited 1.0 s, 2.0 s, 4.0 s after refusals in a row: growing',
      'waited 1.0 s, 1.0 s after refusals in a row: not growing',
    ])
  })

  it('has the first of very many pauses', () => {
    const pauses = Array.from({ length: 500 }, (_, i) => i * 1000)
    expect(pausesInWords(pauses)).toMatch(/^waited 0 ms, 1\.0 s, .*, 9\.0 s, … \(500 in all\) after/)
  })
})
