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
