import { describe, expect, it } from 'vitest'
import { Keyring, sizeOfKeys } from '../../../src/world/keys/key.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')
const key = { key: 'psk_own', plan: 'pro' } as const

describe('a keyring', () => {
  it('has its own keys, then the inherited ones; an own key replaces an inherited one', () => {
    const inherited = new Keyring([key, { key: 'psk_other', plan: 'free' }])
    const own = new Keyring([{ ...key, plan: 'business' }], inherited)
    expect(own.planOf('psk_own', NOW)).toBe('business')
    expect(own.planOf('psk_other', NOW)).toBe('free')
    expect(inherited.planOf('psk_own', NOW)).toBe('pro')
    expect(own.planOf('psk_nobody', NOW)).toBeUndefined()
  })

  it('a key is invalid from the instant at which it expires', () => {
    const ring = new Keyring([{ ...key, expiresAt: '2030-01-01T00:00:00.000Z' }])
    expect(ring.planOf('psk_own', NOW - 1)).toBe('pro')
    expect(ring.planOf('psk_own', NOW)).toBeUndefined()
    expect(ring.lookUp('psk_own')).toBe('pro')
  })

  it('reports the memory of a replaced list that the history keeps: its places, and the keys that were removed', () => {
    const ring = new Keyring(Array.from({ length: 100 }, (_, i) => ({ key: `psk_${i}`, plan: 'free' })))
    const replaced: number[] = []
    ring.onChange = (_, bytes) => replaced.push(bytes)
    ring.replace(ring.with(key))
    ring.replace([])
    expect(replaced[0]).toBe(800)
    expect(replaced[1]).toBeGreaterThan(808 + 101 * 200)
  })

  it('the size of a list is added up once', () => {
    let reads = 0
    const counted = {
      plan: 'pro' as const,
      get key() {
        reads++
        return 'psk_own'
      },
    }
    const keys = [counted]
    const size = sizeOfKeys(keys)
    expect([sizeOfKeys(keys), reads]).toEqual([size, 1])
  })

  it('a revoked key hides the inherited one', () => {
    const inherited = new Keyring([key])
    const own = new Keyring([], inherited)
    own.replace(own.without('psk_own'))
    expect(own.planOf('psk_own', NOW)).toBeUndefined()
    expect(inherited.planOf('psk_own', NOW)).toBe('pro')
    expect(own.list().find((view) => view.key === 'psk_own')).toMatchObject({ revoked: true })
  })

  it('an own key has the name of its own plan, even if `default` has a key with the same text', () => {
    const inherited = new Keyring([{ ...key, plan: 'free' }])
    const own = new Keyring([key, { key: 'psk_second', plan: 'pro' }], inherited)
    own.prefix = 'own '
    expect(own.names.get('psk_own')).toBe('own pro key 1')
    expect(own.names.get('psk_second')).toBe('own pro key 2')
    own.replace([{ key: 'psk_own', plan: 'free', revoked: true }])
    expect(own.names.get('psk_own')).toBe('free key 1')
  })

  it('an own key keeps its name if `default` loses a key that both have', () => {
    const ofDefault = new Keyring([key])
    const copy = new Keyring([key, { key: 'psk_second', plan: 'free' }], ofDefault)
    copy.prefix = 'own '
    const names = () => [copy.names.get('psk_own'), copy.names.get('psk_second')]
    expect(names()).toEqual(['pro key 1', 'own free key 2'])
    ofDefault.replace([])
    expect(names()).toEqual(['own pro key 1', 'own free key 2'])
  })

  it('two keys have two names, even if `default` replaces a key of the options by one with the same text', () => {
    const ofDefault = new Keyring([key], new Keyring([{ ...key, plan: 'free' }]))
    const own = new Keyring([{ key: 'psk_second', plan: 'pro' }], ofDefault)
    own.prefix = 'own '
    expect([own.names.get('psk_own'), own.names.get('psk_second')]).toEqual(['pro key 2', 'own pro key 1'])
  })

  it('a key that is revoked again changes nothing: the history keeps each list of keys', () => {
    const ring = new Keyring([key])
    ring.replace(ring.without('psk_own'))
    expect(ring.without('psk_own')).toBe(ring.stored)
  })
})
