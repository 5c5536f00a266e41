import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isDistinct, SecretIndex } from '../../../src/world/keys/secret-index.ts'

it.each([
  ['correct-horse', true],
  ['longerthantwelve', true],
  ['abc123', true],
  ['team-1', true],
  ['available', false],
  ['123456789', false],
  ['ab-12', false],
])('whether %s is found within words: %s', (secret, expected) => {
  expect(isDistinct(secret)).toBe(expected)
})

it('has the same result as a search for each secret', () => {
  const secret = fc.oneof(fc.stringMatching(/^[abAB1-]{6,14}$/), fc.stringMatching(/^[ab]{3,5}$/))
  fc.assert(
    fc.property(
      fc.array(secret),
      fc.array(secret),
      fc.stringMatching(/^[abAB1 -]{0,60}$/),
      (added, removed, text) => {
        const index = new SecretIndex()
        for (const each of [...added, ...removed]) index.add(each)
        for (const each of removed) index.remove(each)
        const known = [...new Set(added.map((each) => each.toLowerCase()))].filter(
          (each) => !removed.some((gone) => gone.toLowerCase() === each),
        )
        const expected = known.flatMap((each) =>
          Array.from(text, (_, start) => start).filter((start) => {
            if (text.slice(start, start + each.length).toLowerCase() !== each) return false
            const around = (text[start - 1] ?? '') + (text[start + each.length] ?? '')
            return isDistinct(each) || !/[a-z0-9]/i.test(around)
          }),
        )
        const found = index.find(text, false).map(({ start }) => start)
        expect(found.sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b))
        for (const each of known) expect(index.has(each.toUpperCase())).toBe(true)
      },
    ),
  )
})
