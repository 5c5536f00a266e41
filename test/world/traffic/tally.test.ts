import { expect, it } from 'vitest'
import { inNamespace, sumReports, Tally } from '../../../src/world/traffic/tally.ts'
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

it('lists the items of several namespaces in the order of their instants, the first ones of all', () => {
  const reportOf = (name: string, times: readonly number[]) => {
    const tally = new Tally()
    for (const at of times)
      tally.count(exchange({ at, findings: [{ kind: 'ignored-input', inputs: [`${at}`], more: 0 }] }))
    return inNamespace(name, tally.view([], String))
  }
  const late = Array.from({ length: 100 }, (_, i) => 1000 + i)
  const { first } = sumReports([reportOf('a', late), reportOf('b', [999, 1001])], []).ignoredInputs
  expect(first.slice(0, 4).map(({ input }) => input)).toEqual(['999', '1000', '1001', '1001'])
  expect(first).toHaveLength(100)
})
