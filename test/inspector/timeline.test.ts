import { describe, expect, it } from 'vitest'
import type { CallEvent, HistoryEvent, RequestEvent } from '../../src/inspector/data/event.ts'
import type { Entry } from '../../src/inspector/data/types.ts'
import { linesOf, type Row } from '../../src/inspector/views/requests/lines.ts'
import { findingsOf } from '../../src/inspector/views/requests/words.ts'
import { clockAt, type PlotInput, plotOf, wordsAt } from '../../src/inspector/views/timeline/plot.ts'
import { scaleOf } from '../../src/inspector/views/timeline/scale.ts'
import { entry } from '../support/exchange.ts'

const START = Date.UTC(2026, 10, 22, 12)
const DAY = 86_400_000

/** A request at `second` after the start; `left` of 60 remain in a window that ends 60 seconds after the start. */
function request(
  second: number,
  left = 60,
  more: Partial<RequestEvent> = {},
  members: object = {},
): RequestEvent {
  const real = START + second * 1000
  const window = (remaining: number) => ({
    limit: 60,
    remaining,
    resetsAt: new Date(START + 60_000).toISOString(),
  })
  const windows = (remaining: number) => ({ minute: window(remaining), day: window(remaining) })
  return {
    ...{ kind: 'request', name: `${second}`, id: `req_${second}`, real, at: real, namespace: 'default' },
    entry: entry({
      keyName: 'psk_free',
      quota: { before: windows(left + 1), after: windows(left) },
      ...members,
    }),
    ...more,
  }
}
function call(second: number, line: readonly string[], more: Partial<CallEvent> = {}): CallEvent {
  const real = START + second * 1000
  return {
    ...{ kind: 'call', name: `ctl ${second}`, id: 'ctl_000001', real, at: real, before: real },
    ...{ what: line.join(' '), line },
    ...more,
  }
}
/** `left` is the number that the sandbox returns as remaining at the end. */
function input(events: readonly HistoryEvent[], until = 20, left?: number): PlotInput {
  const now = START + until * 1000
  const last = events.at(-1)
  const clock = last ? last.at + now - last.real : now
  const resetsAt = new Date(clock + 60_000).toISOString()
  return {
    ...{ events, counted: [], now, clock, left: 0, right: 1000 },
    ...{ key: 'psk_free', isPale: ({ branch }) => branch !== undefined },
    minute: left === undefined ? undefined : { limit: 60, remaining: left, resetsAt },
  }
}

describe('the axis', () => {
  it('a rewind of nothing is not drawn, but moves the clock: it is not frozen', () => {
    const back = { undid: 'branch_1', undone: '' }
    const plot = plotOf(
      input([
        request(1),
        call(3, ['rewind'], { ...back, at: START + 1000 }),
        call(9, ['rewind', '--undo'], { ...back, before: START + 7000, at: START + 9000 }),
      ]),
    )
    expect(plot.calls).toEqual([])
    expect(plot.labels.filter(({ text }) => text.includes('frozen'))).toEqual([])
  })

  it('is real time: a clock change by a day moves nothing', () => {
    const before = [request(1), request(2), request(3)]
    const move = call(5, ['clock', 'advance', '1d'], { at: START + 5000 + DAY })
    const after = Array.from({ length: 10 }, (_, i) =>
      request(6 + i / 10, 50, { at: START + 6000 + i * 100 + DAY }),
    )
    const [one, two] = [plotOf(input(before)), plotOf(input([...before, move, ...after]))]
    const places = (plot: typeof one) => plot.bars.slice(0, 3).map(({ from }) => from)
    expect(places(two)).toEqual(places(one))
    expect(two.bars.length).toBeGreaterThan(3)
    expect(two.labels.some(({ text }) => text === '23 Nov 12:00:05')).toBe(true)
  })

  it('has bars on multiples of real time, which do not move with time', () => {
    const events = [request(1.3), request(1.4), request(7.9)]
    const [now, later] = [plotOf(input(events, 20)), plotOf(input(events, 21.7))]
    expect(later.bars.map(({ from }) => from)).toEqual(now.bars.map(({ from }) => from))
    expect(now.bars.every(({ from, to }) => from % (to - from) === 0)).toBe(true)
  })

  it('labels no second twice, although the clock is read shortly after real time', () => {
    const { labels } = plotOf(
      input(
        [1, 5, 9].map((each) => request(each, 60, { at: START + each * 1000 - 1 })),
        10,
      ),
    )
    expect(labels.length).toBeGreaterThan(5)
    expect(new Set(labels.map(({ text }) => text)).size).toBe(labels.length)
    expect(labels.at(-1)?.text).toBe('12:00:09')
  })

  it('labels every second once, although the page received the clock late', () => {
    const shown = input([request(1), request(2)], 10)
    const { labels } = plotOf({ ...shown, clock: shown.clock - 300 })
    expect(labels.map(({ text }) => text)).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((second) => `12:00:0${second}`),
    )
  })

  it('has labels that are 82 pixels apart, also at its end', () => {
    for (const now of [40, 41.2, 48.9, 59.99]) {
      const { labels } = plotOf({
        ...input(
          [0, 20, 40].map((each) => request(each)),
          now,
        ),
        left: 34,
        right: 1100,
      })
      const gaps = labels.slice(1).map(({ x }, index) => x - (labels[index]?.x ?? 0))
      expect(Math.min(...gaps), `${now}`).toBeGreaterThanOrEqual(82)
    }
  })

  it('has real time if all namespaces are shown, whose clocks differ', () => {
    const events = [0, 3, 6, 9].map((second) =>
      request(second, 60, { at: START + (second % 2 === 0 ? second * 1000 : DAY) }),
    )
    const { labels } = plotOf({ ...input(events, 10), isAll: true })
    expect(labels.map(({ text }) => text)).toEqual(
      Array.from({ length: labels.length }, (_, second) => `12:00:0${second}`),
    )
  })

  it('has the lengths of gaps, the longest first, and no label over another', () => {
    const { labels } = plotOf({ ...input([request(0), request(405), request(439)], 443), right: 300 })
    expect(labels.map(({ text }) => text)).toContain('6 min 45 s')
    for (const [index, { x, text }] of labels.entries()) {
      const next = labels[index + 1]
      if (next) expect(next.x - x, `${text} ${next.text}`).toBeGreaterThan((text + next.text).length * 3)
    }
  })

  it('labels no clock as frozen after a rewind', () => {
    const back = (at: number, before: number) =>
      call(14, [], { undid: 'branch_1', at: START + at, before: START + before })
    const textsOf = (events: readonly HistoryEvent[]) => plotOf(input(events)).labels.map(({ text }) => text)
    expect(
      textsOf([request(1), request(4), back(2000, 14_000)]).filter((text) => text.includes('frozen')),
    ).toEqual([])
    const isFrozen = (text: string) => text.includes('frozen')
    // A rewind half a second after the last request, and its undo: the clock of the other branch seems to stand still.
    for (const before of [2000, 4500])
      expect(textsOf([request(1), request(4), back(4500, before)]).filter(isFrozen)).toEqual([])
    const stopped = [1, 4].map((second) => request(second, 60, { at: START }))
    for (const before of [0, -3000])
      expect(textsOf([...stopped, back(0, before)])).toContain('frozen 12:00:00')
  })

  it('shortens long empty times', () => {
    const scale = scaleOf([START, START + 10_000, START + 100_000], START + 101_000, 0, 1000)
    const [gap] = scale.gaps
    expect(scale.gaps).toHaveLength(1)
    expect(gap).toMatchObject({ from: START + 11_000, to: START + 99_000, length: 90_000 })
    expect(scale.x(START + 99_000) - scale.x(START + 11_000)).toBeCloseTo(12)
    for (const real of [START, START + 5000, START + 50_000, START + 100_500])
      expect(scale.instant(scale.x(real))).toBeCloseTo(real, 0)
    expect(wordsAt(plotOf(input([request(0), request(50)], 51)), input([], 51), START + 25_000)).toBe(
      'nothing for 50 s',
    )
  })

  it('can be drawn for years, many gaps and one instant', () => {
    const many = Array.from({ length: 400 }, (_, i) => START + i * 60_000)
    const scale = scaleOf(many, many.at(-1) as number, 0, 1000)
    expect(scale.x(many.at(-1) as number)).toBeCloseTo(1000)
    expect(plotOf(input([request(0)], 0)).bars).toHaveLength(1)
    expect(plotOf(input([], 3e9)).bars).toEqual([])
  })

  it('has the clock between two events, and during a freeze', () => {
    const events = [request(0), call(10, ['clock', 'freeze']), request(20, 60, { at: START + 10_000 })]
    expect(clockAt(input(events), START + 5000)).toBe(START + 5000)
    expect(clockAt(input(events), START + 15_000)).toBe(START + 10_000)
    expect(plotOf(input(events)).labels.some(({ text }) => text.startsWith('frozen'))).toBe(true)
  })

  it('has no time before the first event that a frozen clock never showed', () => {
    const frozen = [5, 8].map((second) => request(second, 60, { at: START }))
    expect(clockAt(input(frozen), START + 1000)).toBe(START)
    expect(clockAt({ ...input(frozen.slice(0, 1)), isFrozen: true }, START + 1000)).toBe(START)
    expect(clockAt(input([request(5), request(8)]), START + 1000)).toBe(START + 1000)
  })

  it('labels each frozen stretch once, and nothing else in it', () => {
    const stands = (second: number, at: number) => call(second, ['clock', 'freeze'], { at: START + at })
    const events = [
      ...[request(0), stands(2.8, 2800), request(8, 60, { at: START + 2800 })],
      ...[stands(8.2, 7000), request(15, 60, { at: START + 7000 })],
    ]
    const { labels } = plotOf({ ...input(events, 15), clock: START + 7000 })
    expect(labels.map(({ text }) => text)).toEqual([
      ...['12:00:00', '12:00:02', 'frozen 12:00:02', 'frozen 12:00:07'],
    ])
  })
})

describe('the labels of control calls', () => {
  it('do not overlap; those of clock changes are placed first', () => {
    const seeded = call(5, ['seed'], { what: 'seeded 24 pets' })
    const moves = [10, 10.2, 10.4].map((second) =>
      call(second, ['clock', 'advance', '1d'], { what: 'clock +1d' }),
    )
    const { calls } = plotOf(input([request(0), seeded, ...moves]))
    const drawn = calls.flatMap(({ words }) => words ?? [])
    expect(drawn.map(({ text }) => text)).toEqual(['+1 d', '+1 d', 'seeded 24 pets'])
    const ranges = drawn
      .map(({ x, text, anchor }) => [x - (anchor === 'end' ? text.length * 5 : 0), text.length * 5] as const)
      .sort(([a], [b]) => a - b)
    for (const [index, [from, width]] of ranges.entries())
      expect(from + width).toBeLessThanOrEqual(ranges[index + 1]?.[0] ?? 1000)
  })
})

describe('the label of a clock change', () => {
  it.each([10.05, 10.1, 10.3])('stands in the order of the changes at 10 and %s seconds', (second) => {
    const set = call(second, ['clock', 'set', 'x'], { at: Date.UTC(2030, 11, 5) })
    const { calls } = plotOf(input([request(0), call(10, ['clock', 'advance', '1d']), set]))
    const drawn = calls.flatMap(({ words }) => words ?? []).toSorted((a, b) => a.x - b.x)
    expect(drawn.map(({ text }) => text)).toEqual(['+1 d', 'to 5 Dec 2030'])
  })

  it('is shown between the calls at both sides of it', () => {
    const others = [9.8, 10.3].map((second) => call(second, ['seed'], { what: 'seeded 24 pets' }))
    const move = call(10, ['clock', 'advance', '1d'], { what: 'clock +1d' })
    const { calls } = plotOf(input([request(0), ...others, move]))
    expect(calls.find((each) => each.call === move)?.words).toMatchObject({ text: '+1 d' })
  })

  it.each([
    ['clock +61s', ['clock', 'advance', '61s'], '+61 s'],
    ['clock +PT61S', ['clock', 'advance', 'PT61S'], '+PT61S'],
    ['clock frozen', ['clock', 'freeze'], 'frozen'],
    ['clock running', ['clock', 'resume'], 'running'],
    ['clock to real time', ['clock', 'reset'], 'real time'],
    // No command makes both moves in one call.
    ['clock to 2030-12-05 00:00:00, clock frozen', undefined, 'to 2030-12-05 00:00:00, frozen'],
  ])('of %s with the command %j is %s', (what, line, text) => {
    const { line: _, ...move } = call(10, [], { what, at: Date.UTC(2030, 11, 5) })
    const plot = plotOf(input([request(0), line ? { ...move, line } : move]))
    expect(plot.calls[0]?.words?.text).toBe(text)
    expect(plot.labels.map((label) => label.text)).toContain('5 Dec 00:00:00')
  })

  it('has the date to which the clock was set as the calendar does', () => {
    const at = Date.UTC(2030, 11, 5)
    const set = call(10, ['clock', 'set', 'x'], { what: 'clock to 2030-12-05 00:00:00', at })
    expect(plotOf(input([request(0), set])).calls[0]?.words?.text).toBe('to 5 Dec 2030')
  })
})

describe('the quota', () => {
  const levels = (events: readonly HistoryEvent[], until?: number, left?: number) =>
    plotOf(input(events, until, left)).steps.map((step) => [(step.real - START) / 1000, step.left])

  it('falls at each charged request of its key, and is full at the end of the window', () => {
    const other = request(2, 3, {}, { keyName: 'psk_pro' })
    expect(levels([request(1, 59), other, request(3, 58)], 70)).toEqual([
      [1, 60],
      [1, 59],
      [3, 58],
      [60, 60],
    ])
  })

  it('changes at a control call that sets it', () => {
    const refill = call(2, ['limits', 'psk_free', '--refill'])
    expect(levels([request(1, 9), refill], 20, 60).at(-1)).toEqual([2, 60])
    expect(levels([request(1, 9), refill, request(3, 59)]).slice(-2)).toEqual([
      [2, 60],
      [3, 59],
    ])
    expect(levels([request(1, 9), call(2, ['limits', 'psk_pro', '--refill'])], 20, 9).at(-1)).toEqual([1, 9])
    expect(levels([request(1, 9), refill, call(5, ['seed'])], 20, 60).at(-1)).toEqual([2, 60])
    const move = (seconds: number) => call(5, ['clock', 'set', 'x'], { at: START + (5 + seconds) * 1000 })
    expect(levels([request(1, 9), refill, move(10)], 20, 60).at(-1)).toEqual([2, 60])
    // The command of a call about an issued key would contain the key: the history has no line of it.
    const { line: _, ...unnamed } = call(2, [], { what: 'free key 1 refilled' })
    expect(levels([request(1, 9), unnamed, request(3, 59)]).slice(-2)).toEqual([
      [2, 60],
      [3, 59],
    ])
    expect(levels([request(1, 9), refill, { ...unnamed, real: START + 5000 }], 20, 60).at(-1)).toEqual([
      2, 60,
    ])
    // A clock that goes back resets the quota.
    expect(levels([request(1, 9), move(-10)], 20, 60).at(-1)).toEqual([5, 60])
    // A clock that passes the end of the window finds it full.
    for (const line of [['limits', 'psk_free', '--refill'], ['reset'], ['reset', 'bans', 'limits']])
      expect(levels([request(1, 9), call(2, line), move(100)], 20, 60).slice(-2)).toEqual([
        [1, 9],
        [2, 60],
      ])
    expect(
      levels([request(1, 9), move(-1), call(6, ['limits', 'psk_free', '--lift'])], 20, 60).at(-1),
    ).toEqual([5, 60])
    for (const line of [
      ['limits', 'psk_pro', '--refill'],
      ['limits', 'psk_free', '--lift'],
      ['reset', 'bans'],
    ])
      expect(levels([request(1, 9), call(2, line), move(100)], 20, 60).at(-1)).toEqual([5, 60])
  })

  it('changes at the last call about its key, also if the history has no line of it', () => {
    const about = (second: number, keyName: string): CallEvent => {
      const { line: _, ...unnamed } = call(second, [], { keyName })
      return unnamed
    }
    const events = [request(1, 9), about(2, 'psk_free'), about(5, 'psk_free'), about(7, 'psk_pro')]
    expect(levels([...events, request(9, 20)]).slice(-2)).toEqual([
      [5, 21],
      [9, 20],
    ])
    const withLine = call(7, ['limits', 'psk_pro', '--leave', '3'], { keyName: 'psk_pro' })
    expect(levels([...events, withLine, request(9, 20)]).at(-2)).toEqual([5, 21])
  })

  it('is full at the end of a window that was read before its end', () => {
    const read = (left: number, resets = 60) => {
      const events = [request(1, 9), call(2, ['limits'], { keyName: 'psk_free' })]
      const minute = { limit: 60, remaining: left, resetsAt: new Date(START + resets * 1000).toISOString() }
      return plotOf({ ...input(events, 150), minute }).steps.map((step) => [
        (step.real - START) / 1000,
        step.left,
      ])
    }
    expect(read(9).slice(-2)).toEqual([
      [1, 9],
      [60, 60],
    ])
    expect(read(5).slice(-2)).toEqual([
      [2, 5],
      [60, 60],
    ])
    // Refilled, and read then; and full, as it was read after the end.
    expect(read(60, 62).at(-1)).toEqual([2, 60])
    expect(read(60, 125).slice(-2)).toEqual([
      [1, 9],
      [60, 60],
    ])
  })

  it('is full again after a clock change that ends the window, and continues after a shorter one', () => {
    const move = (seconds: number) =>
      call(2, ['clock', 'advance', 'x'], { at: START + 2000 + seconds * 1000 })
    expect(levels([request(1, 9), move(61)]).at(-1)).toEqual([2, 60])
    expect(levels([request(1, 9), move(48)], 20).at(-1)).toEqual([12, 60])
  })

  it('returns to its earlier value after a rewind', () => {
    const undone = request(3, 20, { branch: 'branch_1' })
    const back = call(5, [], { undid: 'branch_1' })
    expect(levels([request(1, 50), undone, back], 20, 50).at(-1)).toEqual([5, 50])
    expect(levels([request(1, 50), undone, back, request(6, 49)]).slice(-2)).toEqual([
      [5, 50],
      [6, 49],
    ])
  })
})

describe('the quota with requests in progress', () => {
  const ends = (left: number) => plotOf(input([request(1, 50)], 20, left)).steps.at(-1)?.left

  it('ends with what the sandbox says, which counts them', () => {
    expect(ends(47)).toBe(47)
  })

  it('ends with the last request while the sandbox was asked before it', () => {
    expect(ends(52)).toBe(50)
  })
})

describe('the lines of the list', () => {
  const early = (second: number, earlyMs: number) =>
    request(second, 0, {}, { status: 429, findings: [{ kind: 'early-retry', text: 'x', earlyMs }] })

  it('are merged for consecutive equal requests, with their range', () => {
    const events = [early(4, 47_500), early(3, 54_100), request(2), request(1, 60, {}, { query: 'limit=1' })]
    const lines = linesOf(events, new Set(), () => false)
    expect(lines.map(({ kind }) => kind)).toEqual(['date', 'request', 'request', 'request'])
    const run = (lines[1] as Row).run as readonly RequestEvent[]
    const entries = run.map((each) => each.entry)
    expect(findingsOf(entries[0] as Entry, entries)).toMatchObject([{ text: '47.5 to 54.1 s too early' }])
    const open = linesOf(events, new Set(['3']), () => false)
    expect(open.filter((line) => line.kind === 'request' && line.isInner)).toHaveLength(2)
  })

  it('keep their key when newer requests are added and old ones removed, and no two have the same', () => {
    const keysOf = (...events: readonly RequestEvent[]) =>
      linesOf(events, new Set(), () => false).flatMap(({ kind, key }) => (kind === 'request' ? key : []))
    const other = request(12, 60, {}, { query: 'limit=1' })
    expect(keysOf(request(11))).toEqual(['11'])
    expect(keysOf(request(13), request(11))).toEqual(['11'])
    expect(keysOf(request(14), request(13))).toEqual(['11'])
    expect(keysOf(request(14), other, request(13))).toEqual(['14', '12', '11'])
  })

  it('begin a day with its date, and keep undone entries separate', () => {
    const move = call(2, ['clock', 'advance', '1d'], { at: START + 2000 + DAY })
    const lines = linesOf(
      [move, request(1), request(0.5, 60, { branch: 'branch_1' })],
      new Set(),
      () => false,
    )
    expect(lines.map((line) => (line.kind === 'date' ? line.text : line.kind))).toEqual([
      '23 Nov 2026',
      'call',
      '22 Nov 2026',
      'request',
      'request',
    ])
  })
})
