import type { Entry } from '../../src/inspector/types.ts'

/** A journal entry; what a test does not name is ordinary. */
export const entry = (given: Partial<Entry> = {}): Entry => ({
  id: 'req_000001',
  at: '2026-11-19T12:34:56.000Z',
  namespace: 'default',
  key: 'psk_…',
  plan: 'pro',
  operationId: 'listPets',
  method: 'GET',
  path: '/v1/pets',
  query: '',
  status: 200,
  ms: 1,
  decision: 'served',
  findings: [],
  warnings: [],
  request: { headers: {}, body: '' },
  response: { headers: {}, body: '[]' },
  ...given,
})
