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

it('has the same result as a search for each secret: the longest at each position', () => {
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
        // One that was added more often than removed is still known.
        const known = [...new Set(added.map((each) => each.toLowerCase()))]
        const expected = Array.from(text, (_, start) => {
          const there = known.filter((each) => {
            if (text.slice(start, start + each.length).toLowerCase() !== each) return false
            const around = (text[start - 1] ?? '') + (text[start + each.length] ?? '')
            return isDistinct(each) || !/[a-z0-9]/i.test(around)
          })
          return { start, length: Math.max(0, ...there.map((each) => each.length)) }
        }).filter(({ length }) => length > 0)
        const found = index.find(text, false).map(({ start, secret }) => ({ start, length: secret.length }))
        expect(found).toEqual(expected)
        for (const each of known) expect(index.has(each.toUpperCase())).toBe(true)
      },
    ),
  )
})

it('finds a long secret by its beginning, up to the end of its word', () => {
  const index = new SecretIndex()
  const secret = `Ey.${'J0'.repeat(3000)}-_=`
  index.add(secret)
  expect(index.has(secret)).toBe(true)
  expect(index.find(`a=${secret} "${secret}"`, false)).toEqual([
    { start: 2, secret },
    { start: secret.length + 4, secret },
  ])
  expect(index.find(`a=${secret.slice(0, 100)}`, true)).toEqual([{ start: 2, secret: secret.slice(0, 100) }])
  index.remove(secret)
  expect(index.find(secret, false)).toEqual([])
})

it('the end of a word may be any character but a separator; a full stop belongs to no word', () => {
  const index = new SecretIndex()
  const [odd, plain] = [`${'b2:!'.repeat(60)}x`, 'Ab1'.repeat(60)]
  for (const each of [odd, plain]) index.add(each)
  expect(index.find(`${odd}, "${plain}" and ${plain}. Next`, false).map(({ secret }) => secret)).toEqual([
    odd,
    plain,
    plain,
  ])
})

it('a search finds one secret at a position, and a long one once, however many there are', () => {
  const index = new SecretIndex()
  for (let length = 12; length < 300; length++) index.add('a'.repeat(length))
  const found = index.find('a'.repeat(1000), false)
  expect(found).toHaveLength(1000 - 12 + 1)
  expect(found[0]?.secret).toHaveLength(1000)
})

it('has room for texts of eight lengths that begin alike', () => {
  const index = new SecretIndex()
  for (let length = 12; length < 20; length++) {
    expect(index.hasRoomFor('a'.repeat(length))).toBe(true)
    index.add('a'.repeat(length))
  }
  expect(index.hasRoomFor('a'.repeat(30))).toBe(false)
  expect(index.hasRoomFor(`${'a'.repeat(15)}b`)).toBe(true)
  expect(index.hasRoomFor('b'.repeat(30))).toBe(true)
})
