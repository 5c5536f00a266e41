import type { JournalEntry } from '../../src/contract/generated/control.types.d.ts'
import { Secrets } from '../../src/world/keys/secrets.ts'
import type { Exchange } from '../../src/world/traffic/exchange.ts'
import { entryOf } from '../../src/world/traffic/journal-entry.ts'
import { SERVED } from '../../src/world/traffic/reason.ts'

/** An exchange; `members` are those that matter for a test. */
export const exchange = (members: Partial<Exchange> = {}): Exchange => ({
  id: 'req_000001',
  at: Date.UTC(2026, 10, 19, 12, 34, 56),
  receivedAt: Date.UTC(2026, 10, 19, 12, 34, 56),
  namespace: 'default',
  key: 'psk_free',
  plan: 'free',
  operationId: 'listPets',
  method: 'GET',
  path: '/v1/pets',
  query: '',
  status: 200,
  ms: 1,
  decision: 'served',
  findings: [],
  request: { headers: ['Host', 'localhost:4010'], body: '' },
  response: { headers: ['Content-Type', 'application/json'], body: '[]' },
  reason: SERVED,
  acted: undefined,
  charged: undefined,
  changed: undefined,
  test: undefined,
  secrets: new Secrets(),
  ...members,
})

/** The journal entry of such an exchange. */
export const entry = (members: Partial<JournalEntry> = {}): JournalEntry => ({
  ...entryOf(exchange()),
  ...members,
})
