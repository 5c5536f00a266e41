import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeUtf8 } from '../../src/text/utf8.ts'
import { Budget, type Kept } from '../../src/world/budget.ts'
import type { WorldState } from '../../src/world/parts.ts'
import { Past } from '../../src/world/past.ts'
import { Duplicates } from '../../src/world/traffic/duplicates.ts'
import { type Exchange, sizeOf } from '../../src/world/traffic/exchange.ts'
import { Tally } from '../../src/world/traffic/tally.ts'
import { command } from '../support/command.ts'
import { exchange } from '../support/exchange.ts'

const MIB = 1024 * 1024

class RecordingPast extends Past {
  record(exchange: Exchange): void {
    const sent = command()
    this.begin(sent, true)
    this.end(sent, exchange)
  }
}
const newPast = (budget: Budget) =>
  new RecordingPast(budget, () => ({ meters: new Map(), faults: { rules: [] } }) as unknown as WorldState)

describe('the budget of data about requests', () => {
  it('counts all text of a client', () => {
    const least = sizeOf(exchange())
    const headers = Array.from({ length: 8000 }, () => 'a')
    const long = 'x'.repeat(16_000)
    for (const sent of [
      { path: `/v1/${long}` },
      { query: long },
      { key: long },
      { request: { headers: [], body: long } },
      { request: { headers: ['cookie', long], body: '' } },
      // A text costs more than its characters.
      { request: { headers, body: '' } },
      { findings: [{ kind: 'ignored-input' as const, inputs: [long], more: 0 }] },
      { findings: [{ kind: 'violation' as const, texts: [long] }] },
      { reason: { code: 'invalid_body', message: long } },
    ]) {
      expect(sizeOf(exchange(sent)), Object.keys(sent)[0]).toBeGreaterThan(least + 15_000)
    }
    expect(sizeOf(exchange({ request: { headers, body: '' } }))).toBeGreaterThan(250_000)
  })

  it('is shared by journals, duplicates and lists: the oldest data is dropped first', () => {
    const budget = new Budget(MIB)
    const past = newPast(budget)
    const duplicates = new Duplicates(budget)
    const tally = new Tally({ budget })
    for (let i = 0; i < 4000; i++) {
      const id = `req_${i}`
      const sent = exchange({
        id,
        findings: [{ kind: 'ignored-input', inputs: [`parameter ${'x'.repeat(100)}`], more: 0 }],
      })
      past.record(sent)
      tally.count(sent)
      duplicates.note(id, i, 'psk_free', encodeUtf8(`body ${i}`), `idempotency ${'x'.repeat(15_000)} ${i}`)
      expect(budget.bytes).toBeLessThanOrEqual(MIB)
    }
    expect(past.ended.at(-1)?.exchange?.id).toBe('req_3999')
    expect(duplicates.note('again', 4000, 'psk_free', encodeUtf8('body 3999'), undefined)).toBe('req_3999')
    expect(duplicates.note('again', 4000, 'psk_free', encodeUtf8('body 3000'), undefined)).toBeUndefined()
    expect(tally.view([], String).ignoredInputs).toMatchObject({ count: 4000, first: { length: 100 } })
    past.clear('cleared')
    duplicates.reset()
    tally.reset()
    expect(budget.bytes).toBe(0)
  })

  it('drops data in a time that does not depend on the total', () => {
    const budget = new Budget(MIB)
    let forgotten = 0
    const keep = () => budget.keep({ bytes: 100, forget: () => forgotten++ })
    for (let i = 0; i < 1_000_000; i++) keep()
    expect(forgotten).toBe(1_000_000 - Math.floor(MIB / 100))
  })
})

it('drops the oldest of the rest, whichever items were released', () => {
  const step = fc.oneof(fc.constant('keep' as const), fc.nat(30))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const budget = new Budget(1000)
      const dropped: Kept[] = []
      const model: Kept[] = []
      for (const each of steps) {
        if (each === 'keep') {
          const kept: Kept = { bytes: 1, forget: () => dropped.push(kept) }
          budget.keep(kept)
          model.push(kept)
        } else if (model.length > 0) {
          const [left] = model.splice(each % model.length, 1)
          budget.release(left as Kept)
          budget.release(left as Kept)
        }
        expect(budget.bytes).toBe(model.length)
      }
      while (model.length > 0) {
        budget.reserve(1001 - model.length)
        expect(dropped.splice(0)).toEqual([model.shift()])
        budget.reserve(model.length - 1000)
      }
      expect(budget.bytes).toBe(0)
    }),
  )
})

it('keeps no reference to dropped data, even if little data is kept', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const budget = new Budget()
  const past = newPast(budget)
  const duplicates = new Duplicates(budget)
  const left = Array.from({ length: 500 }, (_, i) => {
    const sent = exchange({ id: `req_${i}` })
    past.record(sent)
    duplicates.note(sent.id, i, 'psk_free', encodeUtf8(`body ${i}`), undefined)
    return new WeakRef(sent)
  })
  past.clear('cleared')
  duplicates.reset()
  for (let i = 0; i < 500; i++) budget.keep({ bytes: 1, forget: () => {} })
  // The target of a new WeakRef stays in memory until the end of the turn.
  return new Promise((next) => setTimeout(next)).then(() => {
    collect()
    // The engine itself may hold the last ones.
    expect(left.filter((each) => each.deref()).length).toBeLessThan(5)
  })
})
