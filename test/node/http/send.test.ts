import { EventEmitter, once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { countUnsent } from '../../../src/node/http/send.ts'

const MIB = 1024 * 1024

test('long bodies that were not sent yet have a common bound: beyond it the connection with the most is closed', async () => {
  const [slowest, other, reading] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const send = (out: PassThrough, mebibytes: number) => {
    const response = new EventEmitter()
    countUnsent(out, response, new Uint8Array(mebibytes * MIB))
    return () => response.emit('close')
  }
  const closed = () => [slowest, other, reading].map(({ destroyed }) => destroyed)
  send(slowest, 60)
  send(slowest, 60)
  send(other, 100)
  // What was sent no longer counts.
  for (let sent = 0; sent < 100; sent++) send(reading, 36)()
  const isSent = send(reading, 36)
  expect(closed()).toEqual([false, false, false])
  send(reading, 1)
  expect(closed()).toEqual([true, false, false])
  await once(slowest, 'close')
  isSent()
  send(reading, 155)
  expect(closed()).toEqual([true, false, false])
  send(other, 1)
  expect(closed()).toEqual([true, false, true])
})
