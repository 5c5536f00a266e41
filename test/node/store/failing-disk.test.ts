import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../support/folder.ts'
import { runChild } from './child.ts'
import { replace, tableOfSize } from './model.ts'
import { open } from './opened.ts'

test('if the n-th call to the disk fails, for every n, the process continues and no acknowledged pet is lost', async () => {
  const base = temporaryFolder()
  const { store, change } = await open(join(base, 'db.json'))
  await change(replace(tableOfSize(3)))
  await store.close(10_000)
  const child = runChild('failing-disk.child.ts', [base, temporaryFolder()])
  const { runs, problems } = JSON.parse((await child.line()) ?? '{}')
  expect(problems).toEqual([])
  expect(runs).toBeGreaterThan(100)
})
