import { describe, expect, it } from 'vitest'
import { History } from '../../src/world/history.ts'
import type { Image } from '../../src/world/state.ts'
import { Budget, KEPT_BYTES } from '../../src/world/traffic/budget.ts'
import { JOURNAL_LENGTH } from '../../src/world/traffic/journal.ts'
import { Tally } from '../../src/world/traffic/tally.ts'
import { exchange } from '../support/exchange.ts'

const image = (before: number): Image => ({ part: 'requests', before })
/** One whose memory is counted. */
const tally: Image = { part: 'tally', before: new Tally() }

function newHistory() {
  const released: Image[] = []
  const history = new History(new Budget(), (each) => {
    released.push(each)
    return () => released.splice(released.indexOf(each), 1)
  })
  /** A request that changed one thing. */
  const request = (id: string) => {
    const before = { at: history.position, real: 0 }
    history.log(image(before.at))
    const done = exchange({ id, ms: 1 })
    history.request(done, before)
    return done
  }
  return { history, request, released }
}

describe('a point', () => {
  it('is found before and after its request, with the points that lie before it', () => {
    const { history, request } = newHistory()
    request('req_1')
    const done = request('req_2')
    expect(history.find('req_2', 'before')).toEqual({ at: 2, real: 0, points: 1 })
    expect(history.find('req_2', 'after')).toEqual({ at: 4, real: 1, points: 2 })
    const [last, first] = history.back(2)
    expect([last, first]).toEqual([expect.objectContaining({ exchange: done }), image(2)])
    expect(last?.part).toBe('exchange')
  })

  it('that is not there is told with the oldest that is', () => {
    const { history, request } = newHistory()
    expect(() => history.find('x'.repeat(500), 'before')).toThrow(/^There is no point x{100} here, and none/)
    request('req_1')
    expect(() => history.find('req_9', 'after')).toThrow(
      'The history has no state after req_9. The oldest point is req_1;',
    )
  })
})

describe('what is forgotten', () => {
  it('with a request is every point up to it; the side after the last of them stays', () => {
    const { history, request, released } = newHistory()
    request('req_1')
    history.log(tally)
    const second = request('req_2')
    request('req_3')
    history.forgetRequest(second, 'budget')
    expect(history.points.map(({ id }) => id)).toEqual(['req_3'])
    expect(released).toEqual([tally])
    expect(() => history.find('req_1', 'before')).toThrow(
      'because what is kept of requests and history takes',
    )
    expect(history.find('req_3', 'before').at).toBe(5)
  })

  it('is the oldest beyond the length of the journal', () => {
    const { history, request } = newHistory()
    for (let i = 0; i <= JOURNAL_LENGTH; i++) request(`req_${i}`)
    expect([history.points.length, history.points[0]?.id, history.gone]).toEqual([
      JOURNAL_LENGTH,
      'req_1',
      'journal',
    ])
  })

  it('is everything where one change alone keeps too much', () => {
    const { history, request } = newHistory()
    request('req_1')
    history.log(image(7), KEPT_BYTES)
    expect([history.points, history.gone]).toEqual([[], 'size'])
    expect(history.reaches({ at: history.position, real: 0 })).toBe(true)
    expect(history.reaches({ at: history.position - 1, real: 0 })).toBe(false)
  })
})

it('what is cut off and put back is as it was, with the numbers of control calls', () => {
  const { history, request, released } = newHistory()
  request('req_1')
  const found = history.find('req_1', 'after')
  const here = { at: history.position, real: 0 }
  history.control({ at: 0, what: 'reset', before: here, after: here })
  history.log(tally)
  request('req_2')
  const view = history.view()
  const undo = history.cut(found)
  expect([history.view().length, history.controls, history.position]).toEqual([1, 0, 2])
  expect(released).toEqual([tally])
  undo()
  expect([history.view(), history.controls, history.position]).toEqual([view, 1, 5])
  expect(released).toEqual([])
})
