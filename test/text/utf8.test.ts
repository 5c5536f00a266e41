import { expect, it } from 'vitest'
import { base64Of, byteLength, bytesOfBase64, decodeUtf8, encodeUtf8, textOf } from '../../src/text/utf8.ts'

it.each([
  ['', 0],
  ['Rex', 3],
  ['ü', 2],
  ['€', 3],
  ['👩‍👩‍👧', 18],
  ['\ud800', 3],
  ['x'.repeat(65_536), 65_536],
  ['x'.repeat(65_537), 65_537],
  ['€'.repeat(40_000), 120_000],
])('measures a text in bytes (%#)', (text, bytes) => {
  expect(byteLength(text)).toBe(bytes)
  expect(encodeUtf8(text)).toHaveLength(bytes)
})

it('keeps a byte order mark, and reads the valid parts of invalid UTF-8', () => {
  expect(textOf(encodeUtf8('\ufeffRex'))).toBe('\ufeffRex')
  expect(decodeUtf8(new Uint8Array([82, 0xff, 120]))).toBe('R\ufffdx')
  expect(textOf(new Uint8Array([82, 0xff, 120]))).toBeUndefined()
})

it('writes and reads bytes as Base64', () => {
  const bytes = new Uint8Array(256).map((_, i) => i)
  expect(base64Of(bytes)).toBe(Buffer.from(bytes).toString('base64'))
  expect(bytesOfBase64(base64Of(bytes))).toEqual(bytes)
})
