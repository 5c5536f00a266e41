import { expect, it } from 'vitest'
import { pointOf, pointView } from '../../src/world/point.ts'
import { command } from '../support/command.ts'
import { exchange } from '../support/exchange.ts'

it('a request is shown with its own time and its status, and lasts until its answer', () => {
  const sent = command()
  sent.exchange = exchange({ method: 'POST', path: '/v1/pets', status: 201, ms: 7 })
  sent.began = 4
  sent.ended = 6
  expect(pointView(sent)).toMatchObject({ id: sent.exchange.id, what: 'POST /v1/pets 201' })
  expect(pointOf(sent, 'before')).toMatchObject({ position: 4, real: sent.at })
  expect(pointOf(sent, 'after')).toMatchObject({ position: 7, real: sent.at + 7 })
})

it('a control call is shown in words, as a command line, with the time that it set', () => {
  const sent = command()
  const [shownAt, shownAfter] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)]
  Object.assign(sent.asCall(), {
    id: 'ctl_000001',
    what: 'clock +1d',
    line: ['clock', 'advance', '1d'],
    shownAt,
    shownAfter,
  })
  expect(pointView(sent)).toEqual({
    id: 'ctl_000001',
    at: '2026-01-01T00:00:00.000Z',
    receivedAt: expect.any(String),
    what: 'clock +1d',
    line: ['clock', 'advance', '1d'],
    after: '2026-01-02T00:00:00.000Z',
  })
})
