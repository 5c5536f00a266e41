import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  base64In,
  decodeBase64,
  encodeBase64,
  encodedLike,
  layersOf,
} from '../../../src/world/keys/encodings.ts'

it('a text has one more layer for each encoding, at most four', () => {
  const decoded = (text: string) => layersOf(text).map((layer) => layer.text)
  expect(decoded('plain')).toEqual(['plain'])
  expect(decoded('50 % \\n')).toEqual(['50 % \\n'])
  expect(decoded('%2561 \\u0062 c\0')).toEqual(['%2561 \\u0062 c\0', '%61 b c', 'a b c'])
  expect(decoded('%25252525256')).toHaveLength(5)
})

it('each character of a layer has its place in the text', () => {
  const part = fc.constantFrom('a', 'é', '%61', '%2561', '%', '\\u0061', '\\"', '\\\\', 'a\0', '𝒳')
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const text = parts.join('')
      for (const { text: decoded, at } of layersOf(text)) {
        const sources = Array.from({ length: decoded.length }, (_, i) => text.slice(at(i), at(i + 1)))
        expect(sources.join('')).toBe(text)
        for (const [i, source] of sources.entries())
          expect(layersOf(source).some((layer) => layer.text === decoded[i])).toBe(true)
      }
    }),
  )
})

it.each([
  ['p', 'x', 'x'],
  ['%70', 'x', '%78'],
  ['%2570', 'x', '%2578'],
  ['\\u0070', 'x', '\\u0078'],
  ['p\0', 'x', 'x\0'],
  ['%%37%30', 'x', 'x'],
  ['\\"', 'x', 'x'],
])('the replacement of %j has the same encoding: %j is %j', (encoded, character, made) => {
  expect(encodedLike(encoded, character)).toBe(made)
})

it('Base64 is found in words of 16 characters or more', () => {
  const word = fc.stringMatching(/^[A-Za-z0-9+/_-]{1,40}$/)
  fc.assert(
    fc.property(fc.array(fc.oneof(word, fc.constantFrom(' ', '=', '𝒳'))), (parts) => {
      const text = parts.join('')
      const runs = [...text.matchAll(/[A-Za-z0-9+/_-]{16,}/g)].map(({ 0: run, index }) => ({
        run,
        start: index,
      }))
      expect(base64In(text)).toEqual(runs)
    }),
  )
})

it('bytes are encoded and decoded in both alphabets', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = Buffer.from(bytes).toString('latin1')
      for (const made of [Buffer.from(bytes).toString('base64url'), Buffer.from(bytes).toString('base64')]) {
        const run = made.replaceAll('=', '')
        expect(decodeBase64(run)).toBe(text)
        expect(encodeBase64(text, run)).toBe(run)
      }
    }),
  )
  expect(encodeBase64(decodeBase64('YWJjZ'), 'YWJjZ')).toBe('YWJjZ')
})
