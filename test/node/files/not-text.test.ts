import { constants } from 'node:buffer'
import { expect, test } from 'vitest'
import { notText } from '../../../src/node/files/not-text.ts'

test('a text that is longer than Node can read is refused with the limit', () => {
  const reason = 'this has 512 MiB; at most 512 MiB can be read'
  expect(notText(Buffer.alloc(constants.MAX_STRING_LENGTH + 1))).toEqual({ line: 1, reason })
})
