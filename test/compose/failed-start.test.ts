import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSandbox } from '../../src/compose/sandbox.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/port.ts'

test.each([
  ['a fault rule that is not valid', { faults: [{ effect: { status: 99 } } as never] }],
  ['a recording that cannot be written', { record: join(import.meta.filename, 'below-a-file.jsonl') }],
  ['a host that is not of this machine', { host: '203.0.113.1' }],
])('a start that fails for %s releases its file and port', async (_, wrong) => {
  const db = join(temporaryFolder(), 'db.json')
  const port = await freePort()
  await expect(createSandbox({ db, port, log: 'silent', ...wrong })).rejects.toThrow()
  const next = await createSandbox({ db, port, log: 'silent' })
  expect(next.port).toBe(port)
  await next.close()
})

test('the error of a port that is in use has the line of the caller', async () => {
  const { port, close } = await createSandbox({ port: 0, log: 'silent' })
  const error: Error = await createSandbox({ port }).catch((thrown) => thrown)
  expect(error.message).toMatch(/EADDRINUSE.*; port 0 takes any free port$/)
  expect(error.stack).toContain(import.meta.filename)
  await close()
})
