import { expect, it } from 'vitest'
import { fileReason } from '../../src/text/file-reason.ts'

it.each([
  [
    Object.assign(new Error('EISDIR: illegal operation on a directory, read'), { code: 'EISDIR' }),
    'it is a folder',
  ],
  [new Error('ENOSPC: no space left on device, write'), 'ENOSPC: no space left on device, write'],
  [new Error("EROFS: read-only file system, open '/mine/run.jsonl.lock'"), 'EROFS: read-only file system'],
  ['stopped', 'stopped'],
])('%s', (error, reason) => {
  expect(fileReason(error)).toBe(reason)
})
