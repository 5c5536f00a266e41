import { expect, it } from 'vitest'
import { createSandbox } from '../../src/compose/sandbox.ts'

it('refuses an invalid name at once', async () => {
  await using sandbox = await createSandbox({ listen: false })
  expect((await sandbox.namespace('*').report()).requests).toBe(0)
  for (const name of ['bad name!', '', 'a.b', 'x'.repeat(65), undefined])
    expect(() => sandbox.namespace(name as string)).toThrow(
      `"${name}" is not a valid namespace; use 1 to 64 of A-Z a-z 0-9 _ -`,
    )
})
