import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSandbox } from '../../../src/compose/sandbox.ts'
import { temporaryFolder } from '../../support/folder.ts'

it('pets that are added together are stored together, however long they are', async () => {
  const db = join(temporaryFolder(), 'db.json')
  const pets = Array.from({ length: 10_000 }, (_, i) => ({ name: 'x'.repeat(1000) + i, categoryId: 1 }))
  await using sandbox = await createSandbox({ db, listen: false, fixture: 'empty' })
  // The second time, the data file is there.
  for (const total of [10_000, 20_000])
    expect(await sandbox.seed({ mode: 'append', pets })).toEqual({ pets: total })
})
