import { expect, it } from 'vitest'
import { keepAlive } from '../../src/control/keep-alive.ts'

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
