import { begin, type Call } from '../../src/api/call.ts'
import type { EngineDeps } from '../../src/api/engine.ts'
import { resolve } from '../../src/api/resolve.ts'
import { animalStoreContract } from '../../src/contract/animal-store.ts'
import type { Request } from '../../src/world/traffic/message.ts'
import { Worlds } from '../../src/world/worlds.ts'
import { command } from '../support/command.ts'
import { policyWith } from '../world/policy.ts'

/** The real time of these tests, in milliseconds. */
export const NOW = Date.parse('2026-11-19T12:34:56.789Z')

export const contract = animalStoreContract()

export const newWorlds = (): Worlds =>
  new Worlds(
    { pets: { pets: [], nextId: 1 }, keys: [], seed: 7, now: undefined, frozen: false },
    new Map(),
    NOW,
  )

/** The request `GET /v1/pets`, with changed members. */
export const request = (members: Partial<Request> = {}): Request => ({
  method: 'GET',
  target: '/v1/pets',
  headers: [],
  body: undefined,
  tooLarge: false,
  address: undefined,
  ...members,
})

/** A call before its caller is identified. */
export function callOf(
  members: Partial<Request> = {},
  { worlds = newWorlds() }: { worlds?: Worlds } = {},
): Call {
  const call = resolve(command({ at: NOW, request: request(members) }), contract, worlds.default)
  begin(call)
  return call
}

/** The parts of an engine that never waits and never fails. */
export const engineDeps = (worlds: Worlds): EngineDeps => ({
  contract,
  policy: policyWith(),
  worlds,
  commit: (_world, _change, apply) => apply(),
  durable: () => undefined,
  loadMocks: () => undefined,
  mock: () => ({ status: 200, text: '[]' }),
  check: () => {},
  realTime: () => NOW,
  clock: () => NOW,
  sleep: async () => {},
  latency: undefined,
  documents: () => ({ status: 200, text: '{}' }),
  recorders: [],
  onFailure: (error) => {
    throw error
  },
})
