import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { collect } from '../../../src/node/http/body.ts'

it('a message that was read keeps nothing of its body, although its connection keeps the message', async () => {
  setFlagsFromString('--expose-gc')
  const message = Object.assign(new PassThrough(), { headers: {} })
  const sizes: (number | undefined)[] = []
  collect(message as unknown as IncomingMessage, 1000, ({ body }) => sizes.push(body?.length))
  const sent = (text: string) => {
    const chunk = Buffer.from(text)
    message.write(chunk)
    return new WeakRef(chunk)
  }
  const chunks = ['a', 'bc'].map(sent)
  message.end()
  await once(message, 'end')
  await setImmediate()
  runInNewContext('gc')()
  expect(sizes).toEqual([3])
  expect(chunks.map((chunk) => chunk.deref())).toEqual([undefined, undefined])
  expect(message.readableEnded).toBe(true)
})

it('the bodies that have not arrived completely have a common bound: beyond it the longest is cut off', async () => {
  const chunk = Buffer.alloc(1024 * 1024)
  const messages = Array.from({ length: 17 }, () => Object.assign(new PassThrough(), { headers: {} }))
  const sizes: (number | undefined)[] = []
  for (const message of messages)
    collect(message as unknown as IncomingMessage, Infinity, ({ body }) => sizes.push(body?.length))
  const cut = () => messages.filter(({ destroyed }) => destroyed).length
  const send = async (message: PassThrough, chunks: number) => {
    for (let sent = 0; sent < chunks; sent++) message.write(chunk)
    await setImmediate()
  }
  for (const message of messages.slice(0, 16)) await send(message, message === messages[3] ? 17 : 15)
  expect(cut()).toBe(0)
  // One is enough, although several chunks arrive in this turn.
  await send(messages[16] as PassThrough, 16)
  expect([cut(), messages[3]?.destroyed]).toEqual([1, true])
  for (const message of messages) message.end()
  await setImmediate()
  expect(sizes).toHaveLength(16)
  // A complete body is no longer counted.
  const [first, second] = [0, 1].map(() => Object.assign(new PassThrough(), { headers: {} }))
  for (const message of [first, second]) collect(message as unknown as IncomingMessage, Infinity, () => {})
  await send(first as PassThrough, 120)
  await send(second as PassThrough, 120)
  expect([first?.destroyed, second?.destroyed]).toEqual([false, false])
  first?.destroy()
  second?.destroy()
})

it('many small chunks of a body are joined while it arrives', async () => {
  setFlagsFromString('--expose-gc')
  const message = Object.assign(new PassThrough(), { headers: {} })
  const bodies: string[] = []
  collect(message as unknown as IncomingMessage, Infinity, ({ body }) => bodies.push(String(body)))
  const sent = Array.from({ length: 2500 }, (_, i) => {
    const chunk = Buffer.from(`${i},`)
    message.emit('data', chunk)
    return new WeakRef(chunk)
  })
  await setImmediate()
  runInNewContext('gc')()
  expect(sent.filter((chunk) => chunk.deref())).toHaveLength(500)
  message.end()
  message.resume()
  await once(message, 'end')
  expect(bodies).toEqual([Array.from({ length: 2500 }, (_, i) => `${i},`).join('')])
})
