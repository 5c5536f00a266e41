import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { errorCode, errorMessage, fileReason } from '../../src/text/error.ts'

it.each<[string, unknown, string, string | undefined]>([
  [
    'an error of the runtime',
    Object.assign(new Error('no such file'), { code: 'ENOENT' }),
    'no such file',
    'ENOENT',
  ],
  // Jest runs tests in a context of its own: there, an error of Node is no `instanceof Error`.
  ['an error of another context', runInNewContext('new RangeError("too deep")'), 'too deep', undefined],
  ['a text', 'out of memory', 'out of memory', undefined],
  ['null', null, 'null', undefined],
  ['undefined', undefined, 'undefined', undefined],
])('%s', (_, thrown, message, code) => {
  expect(errorMessage(thrown)).toBe(message)
  expect(errorCode(thrown)).toBe(code)
})

it.each([
  [
    Object.assign(new Error('EISDIR: illegal operation on a directory, read'), { code: 'EISDIR' }),
    'it is a folder',
  ],
  [new Error('ENOSPC: no space left on device, write'), 'ENOSPC: no space left on device, write'],
  [new Error("EROFS: read-only file system, open '/mine/run.jsonl.lock'"), 'EROFS: read-only file system'],
  ['stopped', 'stopped'],
])('the reason of %s', (error, reason) => {
  expect(fileReason(error)).toBe(reason)
})
