import { describe, expect, it } from 'vitest'
import { checkStart } from '../../src/past/check-start.ts'
import { continueFrom, marksOf, recordedWorldOf, stateParts } from '../../src/past/world-state.ts'
import { AS_IT_IS, type Rewriter } from '../../src/world/keys/redaction.ts'
import { Secrets } from '../../src/world/keys/secrets.ts'
import { charge } from '../../src/world/limits/meter.ts'
import { GONE_WORDS, type Gone } from '../../src/world/point.ts'
import { Worlds } from '../../src/world/worlds.ts'
import { answered } from '../support/command.ts'
import { exchange } from '../support/exchange.ts'
import { policyWith } from '../world/policy.ts'
import { HEAD } from './head.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

const REAL = Date.parse('2026-11-19T12:34:56Z')
const KEY = 'psk_pro_secret0123456'

/** A world with a value in every part of its state. */
function usedWorld() {
  const start = { pets: { pets: [], nextId: 1 }, keys: [], seed: 7, now: undefined, frozen: false }
  const world = new Worlds(start, new Map(), REAL).default
  const policy = policyWith()
  for (const key of [KEY, 'psk_limited']) {
    charge(world.meters.writable(key), policy.plans.free, REAL, policy)
  }
  world.meters.writable('psk_flaky').drawn++
  world.faults.add({ effect: { status: 503 }, match: { key: KEY } }, REAL)
  world.duplicates.note('req_000001', REAL, KEY, bytes('body'), undefined)
  world.chance()
  world.label.value = 'a test'
  const headers = ['Authorization', `Bearer ${KEY}`]
  const own = exchange({
    key: KEY,
    path: `/v1/${KEY}`,
    request: { headers, body: KEY },
    reason: { code: 'route_not_found', message: `There is no /v1/${KEY} here.` },
  })
  answered(world, own)
  return world
}

function written(rewriter: Rewriter) {
  const world = usedWorld()
  const state = world.capture()
  const whole = { state, journal: world.journal.entries(), marks: marksOf(world) }
  const text = [...stateParts(whole, rewriter)].join('')
  const { state: read, journal } = recordedWorldOf(
    JSON.parse(text),
    state.collections,
    state.keys,
    new Secrets(),
  )
  return { world, state, text, read, journal }
}

describe('a state as JSON', () => {
  it('is restored unchanged, including values without a JSON number and omitted members', () => {
    const { state, read } = written(AS_IT_IS)
    expect([...read.meters]).toStrictEqual([...state.meters])
    expect(
      [...read.meters.values()].some(({ day }) => day.used === Infinity || day.opened === -Infinity),
    ).toBe(true)
    expect(read).toMatchObject({
      clock: state.clock,
      faults: state.faults,
      holds: state.holds,
      chance: state.chance,
      requests: state.requests,
      label: 'a test',
    })
    expect(read.tally).toEqual(state.tally)
    expect(read.duplicates.notes.map(({ mark }) => mark)).toEqual(
      state.duplicates.notes.map(({ mark }) => mark),
    )
  })

  it('has no key if keys are replaced, and the same pseudonym everywhere', () => {
    const { pseudonyms } = new Secrets()
    const { text, read, journal } = written(pseudonyms)
    const pseudonym = pseudonyms.key(KEY)
    expect(text).not.toContain(KEY)
    expect(read.meters.has(pseudonym)).toBe(true)
    expect(journal[0]).toMatchObject({
      key: pseudonym,
      path: `/v1/${pseudonym}`,
      request: { headers: ['Authorization', `Bearer ${pseudonym}`], body: pseudonym },
    })
    expect(read.faults.rules[0]?.match?.key).toBe(pseudonym)
    expect(read.duplicates.notes[0]?.mark).toContain(pseudonym)
  })

  it('has the number of exchanges that the journal had dropped', () => {
    const world = usedWorld()
    const [state, marks] = [world.capture(), marksOf(world)]
    const text = [...stateParts({ state, journal: [], marks }, AS_IT_IS)].join('')
    const read = recordedWorldOf(JSON.parse(text), state.collections, state.keys, new Secrets())
    const copy = new Worlds(world.start, new Map(), REAL).default
    continueFrom(copy, read)
    answered(copy, exchange())
    expect([copy.journal.entries().length, copy.journal.dropped]).toEqual([1, 1])
  })
})

it.each(Object.keys(GONE_WORDS) as Gone[])('is valid in a recording if the history is short: %s', (gone) => {
  const world = usedWorld()
  const whole = { state: world.capture(), journal: [], marks: { ...marksOf(world), gone } }
  const state = JSON.parse([...stateParts(whole, AS_IT_IS)].join(''))
  const start = { ...HEAD.start, namespaces: { default: { keys: [], state } } }
  expect(() => checkStart({ ...HEAD, start })).not.toThrow()
})

it('is written in parts, even if the journal is long', () => {
  const world = usedWorld()
  const body = 'x'.repeat(16_000)
  const own = exchange({ response: { headers: [], body } })
  const whole = {
    state: world.capture(),
    journal: Array.from({ length: 1000 }, () => own),
    marks: marksOf(world),
  }
  const parts = [...stateParts(whole, AS_IT_IS)]
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(2 * body.length)
  expect(JSON.parse(parts.join('')).journal).toHaveLength(1000)
})

it('a recorded world continues with its journal and its marks, and has no earlier points', () => {
  const start = { pets: { pets: [], nextId: 1 }, keys: [], seed: 7, now: undefined, frozen: false }
  const worlds = new Worlds(start, new Map(), REAL)
  const [world, copy] = [worlds.default, worlds.get('copy', REAL)]
  answered(world, exchange({ id: world.nextRequestId() }))
  world.setByHand.add('bans')
  const journal = world.journal.entries()
  continueFrom(copy, {
    state: { ...world.capture(), journal: { since: 0, recorded: 4 } },
    journal,
    marks: marksOf(world),
  })
  expect([copy.journal.entries(), copy.journal.dropped, [...copy.past.view()]]).toEqual([journal, 4, []])
  expect(marksOf(copy)).toEqual(marksOf(world))
})
