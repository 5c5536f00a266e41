import { expect, it } from 'vitest'
import { openCore } from '../../src/compose/core.ts'
import { chance } from '../../src/time/chance.ts'
import { sizeOfRule } from '../../src/world/faults/fault.ts'
import { sizeOfKeys } from '../../src/world/keys/key.ts'
import { type Pets, type PetTable, sizeOfPet, sizeOfTable } from '../../src/world/pets/collection.ts'
import type { Pet } from '../../src/world/pets/pet.ts'
import type { World } from '../../src/world/world.ts'
import { apiOf, controlOf } from './client.ts'

const OVERLAY = {
  overlay: '1.0.0',
  info: { title: 'Changes', version: '1.0.0' },
  actions: [
    {
      target: "$.paths['/pets/{petId}']",
      update: {
        patch: {
          operationId: 'updatePet',
          'x-sandbox': 'update',
          responses: { 200: { description: 'Changed.' } },
        },
        delete: {
          operationId: 'deletePet',
          'x-sandbox': 'delete',
          responses: { 204: { description: 'Gone.' } },
        },
      },
    },
  ],
}

type Opened = Awaited<ReturnType<typeof openCore>>

const sum = (pets: Iterable<Pet>): number => [...pets].reduce((bytes, pet) => bytes + sizeOfPet(pet), 0)

/** The copies of a namespace that count: its snapshots, and the states before its rewinds. */
const copiesOf = ({ name, past }: World, { internals: { snapshots } }: Opened) => [
  ...(snapshots.inMemory?.(name).values() ?? []),
  ...past.undoneStates.map(({ collections, keys }) => ({ pets: collections.pets, keys })),
]

/** The counted bytes, added up again from every pet. */
function recounted(opened: Opened): number {
  const tables = new Set<PetTable>()
  const keyLists = new Set<Parameters<typeof sizeOfKeys>[0]>()
  let bytes = 0
  for (const world of opened.internals.worlds.all()) {
    const { collections, keys, faults } = world
    keyLists.add(keys.stored)
    for (const rule of faults.list()) bytes += sizeOfRule(rule)
    for (const { table, ownBytes } of [collections.pets, collections.empty]) {
      tables.add(table)
      bytes += ownBytes
    }
    let before: Pets | undefined
    for (const { pets, keys } of copiesOf(world, opened)) {
      tables.add(pets.table)
      keyLists.add(keys)
      const others = new Set(before?.table === pets.table ? before.values() : pets.table.pets)
      const added = sum([...pets.values()].filter((pet) => !others.has(pet)))
      const beside = pets.bytesBeside(before)
      // In addition, a changed leaf has new places for the pets that were there before.
      expect(beside).toBeGreaterThanOrEqual(added)
      expect(beside).toBeLessThanOrEqual(added + 8 * pets.size)
      bytes += beside
      before = pets
    }
  }
  for (const table of tables) bytes += sizeOfTable(table)
  for (const keys of keyLists) bytes += sizeOfKeys(keys)
  return bytes
}

/** The bytes of all pets and keys that namespaces and their copies hold, each once. */
function held(opened: Opened): number {
  const pets = new Set<Pet>()
  const keys = new Set<Parameters<typeof sizeOfKeys>[0][number]>()
  for (const world of opened.internals.worlds.all()) {
    const present = { pets: world.collections.pets, keys: world.keys.stored }
    for (const copy of [present, ...copiesOf(world, opened)]) {
      for (const pet of copy.pets.values()) pets.add(pet)
      for (const key of copy.keys) keys.add(key)
    }
  }
  return sum(pets) + sizeOfKeys([...keys])
}

it.each([1, 2, 3, 4])(
  'whatever is saved, restored, rewound, deleted, reset, forked and dropped, the count of the state is right (seed %i)',
  async (seed) => {
    const opened = await openCore({
      overlays: [{ name: 'changes', text: JSON.stringify(OVERLAY) }],
      limits: { enterprise: 'unlimited/unlimited' },
    })
    const { core, internals } = opened
    const [control, api] = [controlOf(core.fetch), apiOf(core.fetch)]
    const random = chance(seed, 'snapshots')
    const below = (most: number) => Math.floor(random() * most)
    const one = <T>(...choices: readonly T[]): T => choices[below(choices.length)] as T
    const { stateSize } = internals.worlds.default
    const steps: Record<string, (name: string) => Promise<{ status: number }>> = {
      save: (name) => control('PUT', `/snapshots/s${below(4)}?namespace=${name}`),
      restore: (name) => control('POST', `/snapshots/s${below(4)}/restore?namespace=${name}`),
      delete: (name) => control('DELETE', `/snapshots/s${below(4)}?namespace=${name}`),
      reset: (name) => control('POST', `/reset?namespace=${name}`),
      fork: (name) => control('POST', `/fork?namespace=${name}`, { into: `w${below(4)}` }),
      drop: (name) => control('DELETE', `/namespaces/${name}`),
      rewind: async (name) => {
        const points = (await control('GET', `/history?namespace=${name}`)).body
        const { id } = points[below(points.length)] ?? { id: 'req_000001' }
        return control('POST', `/rewind?namespace=${name}`, { to: id })
      },
      undo: (name) => control('POST', `/rewind?namespace=${name}`, { undo: true }),
      clear: (name) => control('DELETE', `/requests?namespace=${name}`),
      addFault: (name) => control('POST', `/faults?namespace=${name}`, { effect: { latency: '1ms' } }),
      removeFaults: (name) => control('DELETE', `/faults?namespace=${name}`),
      issueKey: (name) => control('POST', `/keys?namespace=${name}`, { plan: 'pro' }),
      revokeKey: (name) => control('DELETE', `/keys/psk_free?namespace=${name}`),
      seed: (name) => control('POST', `/seed?namespace=${name}`, { count: 1 + below(200), seed: below(3) }),
      seedKeys: (name) =>
        control('POST', `/seed?namespace=${name}`, {
          pets: [],
          keys: [{ key: `key-${below(9)}`, plan: 'pro' }],
        }),
      create: (name) =>
        api('/pets', {
          key: `psk_enterprise.${name}`,
          json: { name: 'x'.repeat(below(500)) || 'y', categoryId: 1 },
        }),
      change: (name) =>
        api(`/pets/${1 + below(20)}`, {
          method: 'PATCH',
          key: `psk_enterprise.${name}`,
          json: { name: 'z'.repeat(1 + below(500)) },
        }),
    }
    const succeeded: Record<string, number> = {}
    for (let i = 0; i < 500; i++) {
      const step = one(...Object.keys(steps), 'save', 'restore', 'create')
      const { status } = await (steps[step] as (typeof steps)[string])(`w${below(4)}`)
      if (status < 300) succeeded[step] = (succeeded[step] ?? 0) + 1
      // The states of a cleared history are counted until the next count, such as before a refusal.
      if (step === 'clear') stateSize.recount()
      expect(stateSize.bytes, `${i}: ${step}`).toBe(recounted(opened))
      expect(stateSize.bytes, `${i}: ${step}`).toBeGreaterThanOrEqual(held(opened))
    }
    expect(Object.keys(succeeded)).toHaveLength(Object.keys(steps).length)
    for (const { name } of (await control('GET', '/namespaces')).body)
      await control('DELETE', `/namespaces/${name}`)
    expect(internals.snapshots.namespaces()).toEqual([])
    await core.close()
  },
)

it('pets that one namespace deletes stay with the others: their memory is not free', async () => {
  const overlays = [{ name: 'changes', text: JSON.stringify(OVERLAY) }]
  const { core } = await openCore({ overlays, maxState: 15_000 })
  const api = apiOf(core.fetch)
  for (let world = 0; world < 10; world++)
    for (let id = 1; id <= 12; id++)
      expect((await api(`/pets/${id}`, { method: 'DELETE', key: `psk_pro.w${world}` })).status).toBe(204)
  const json = { name: 'x'.repeat(9000), categoryId: 1 }
  expect((await api('/pets', { json })).status).toBe(503)
  await core.close()
})

it('whoever starts with more pets than the limit can still delete them; a changed one takes memory beside its initial state', async () => {
  const overlays = [{ name: 'changes', text: JSON.stringify(OVERLAY) }]
  const { core } = await openCore({ overlays, maxState: 500 })
  const api = apiOf(core.fetch)
  const change = async (name: string) => (await api('/pets/2', { method: 'PATCH', json: { name } })).status
  expect((await api('/pets/1', { method: 'DELETE' })).status).toBe(204)
  expect(await change('a')).toBe(503)
  await core.close()
})
