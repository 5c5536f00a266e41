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
