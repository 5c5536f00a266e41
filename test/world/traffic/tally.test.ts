import { expect, it } from 'vitest'
import { Tally } from '../../../src/world/traffic/tally.ts'
import { exchange } from '../../support/exchange.ts'

it('removes only one exchange if an earlier one has the same id, since ids begin again', () => {
  const tally = new Tally()
  const sent = (at: number, ...inputs: string[]) =>
    exchange({ id: 'req_000001', at, findings: [{ kind: 'ignored-input', inputs, more: 0 }] })
  tally.count(sent(0, 'field tags'))
  tally.count(sent(60_000, 'field tags', 'parameter color'))
  tally.count(sent(60_000, 'field tags', 'parameter color'), -1)
  expect(tally.view([], String).ignoredInputs).toMatchObject({
    count: 1,
    first: [{ id: 'req_000001', at: '1970-01-01T00:00:00.000Z', input: 'field tags' }],
  })
})
