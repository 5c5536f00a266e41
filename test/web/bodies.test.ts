import { expect, it } from 'vitest'
import { countingBodies } from '../../src/web/bodies.ts'
import { readBody } from '../../src/web/fetch.ts'
import { type Reply, requestWith } from '../../src/world/traffic/message.ts'

const MIB = 1024 * 1024
const REPLY: Reply = { status: 200, headers: [], body: undefined }

async function* chunks(many: number) {
  for (let sent = 0; sent < many; sent++) yield new Uint8Array(MIB)
}

it('the bodies of requests that wait for their answers count, too; what arrives beyond the limit is cut off', async () => {
  const answers: ((reply: Reply) => void)[] = []
  const handle = countingBodies(({ target }) =>
    target === '/at-once' ? REPLY : new Promise((resolve) => answers.push(resolve)),
  )
  const body = new Uint8Array(16 * MIB)
  const send = (target: string) => handle(requestWith('POST', target, [], body))
  for (let sent = 0; sent < 100; sent++) send('/at-once')
  const waiting = Array.from({ length: 15 }, () => send('/waits'))
  expect(await readBody(chunks(16), Infinity)).toMatchObject({ body: { length: 16 * MIB } })
  await expect(readBody(chunks(17), Infinity)).rejects.toThrow(
    'the bodies of all requests take more than 256 MiB',
  )
  for (const answer of answers) answer(REPLY)
  await Promise.all(waiting)
  expect(await readBody(chunks(17), Infinity)).toMatchObject({ body: { length: 17 * MIB } })
})
