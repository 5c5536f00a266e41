import { expect, it } from 'vitest'
import { createBacklog } from '../../src/web/backlog.ts'

it('beyond its bound the stream with the most data is cut off, once, and then the next', () => {
  const cut: string[] = []
  const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }]
  const backlog = createBacklog<typeof a>(1000)
  const count = (stream: typeof a, bytes: number) => backlog.count(stream, bytes, () => cut.push(stream.name))
  count(a, 500)
  count(b, 490)
  count(c, 10)
  expect(cut).toEqual([])
  count(c, 11)
  expect(cut).toEqual(['a'])
  // A stream that was cut off is counted until its data is gone.
  count(c, 12)
  expect(cut).toEqual(['a', 'b'])
  backlog.forget(a)
  count(c, 13)
  expect(cut).toEqual(['a', 'b'])
  count(b, 0)
  count(c, 1000)
  expect(cut).toEqual(['a', 'b'])
  count(c, 1001)
  expect(cut).toEqual(['a', 'b', 'c'])
})
