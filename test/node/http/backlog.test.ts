import { PassThrough, type Writable } from 'node:stream'
import { expect, it } from 'vitest'
import * as backlog from '../../../src/node/http/backlog.ts'
import { MAX_BACKLOG } from '../../../src/web/streams.ts'

/** A stream with this number of buffered bytes. */
const waiting = (bytes: number): Writable =>
  Object.defineProperty(new PassThrough(), 'writableLength', { value: bytes, writable: true })
const resize = (stream: Writable, bytes: number) => Object.assign(stream, { writableLength: bytes })

it('beyond its bound the stream with the largest buffer is disconnected, once, and then the next', () => {
  const cut: string[] = []
  const count = (stream: Writable, name: string) => backlog.count(stream, () => cut.push(name))
  const half = MAX_BACKLOG / 2
  const [a, b, c] = [waiting(half), waiting(half - 10), waiting(10)]
  count(a, 'a')
  count(b, 'b')
  count(c, 'c')
  expect(cut).toEqual([])
  count(resize(c, 11), 'c')
  expect(cut).toEqual(['a'])
  // A disconnected stream is counted until its buffer is empty.
  count(resize(c, 12), 'c')
  expect(cut).toEqual(['a', 'b'])
  backlog.forget(a)
  count(resize(c, 13), 'c')
  expect(cut).toEqual(['a', 'b'])
  count(resize(b, 0), 'b')
  count(resize(c, MAX_BACKLOG), 'c')
  expect(cut).toEqual(['a', 'b'])
  count(resize(c, MAX_BACKLOG + 1), 'c')
  expect(cut).toEqual(['a', 'b', 'c'])
  backlog.forget(c)
})
