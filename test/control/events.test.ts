import { expect, it } from 'vitest'
import { keepAlive, throttled } from '../../src/control/events.ts'
import type { Exchange } from '../../src/world/traffic/exchange.ts'

it('sends the first exchange at once, and all others of an interval as one text', () => {
  let due = () => {}
  let isSet = false
  const sent: string[] = []
  const { pass, flush, stop } = throttled(
    20,
    ({ id }) => `${id} `,
    (texts) => sent.push(texts),
    (_, act) => {
      due = act
      isSet = true
      return () => {
        isSet = false
      }
    },
  )
  const passSome = (from: number, to: number) => {
    for (let i = from; i <= to; i++) pass({ id: String(i), at: 0, status: 200 } as Exchange)
  }
  passSome(1, 3)
  expect(sent).toEqual(['1 '])
  due()
  passSome(4, 22)
  expect(sent.slice(1)).toEqual(['2 3 '])
  due()
  expect(sent.at(-1)).toBe(`${[...Array(19).keys()].map((i) => `${i + 4} `).join('')}`)
  passSome(23, 30)
  flush()
  expect(sent.at(-1)).toMatch(
    /^23 24 event: more\ndata: {"at":"1970-.*","count":6,"statuses":{"200":6}}\n\n$/,
  )
  stop()
  expect(isSet).toBe(false)
})

it('an idle event stream sends a comment every 15 seconds until it ends', () => {
  const due: { at: number; act: () => void }[] = []
  let now = 0
  const sent: string[] = []
  const stop = keepAlive(
    (text) => sent.push(`${now} ${text}`),
    (milliseconds, act) => {
      const timer = { at: now + milliseconds, act }
      due.push(timer)
      return () => due.splice(due.indexOf(timer), 1)
    },
  )
  const pass = (milliseconds: number) => {
    for (now += milliseconds; due[0] && due[0].at <= now; ) due.shift()?.act()
  }
  pass(14_999)
  expect(sent).toEqual([])
  pass(1)
  pass(15_000)
  expect(sent).toEqual(['15000 :\n\n', '30000 :\n\n'])
  stop()
  expect(due).toEqual([])
})
