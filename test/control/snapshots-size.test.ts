import { expect, it } from 'vitest'
import { openCore } from '../../src/compose/core.ts'
import { chance } from '../../src/time/chance.ts'
import { type Pets, type PetTable, sizeOfPet, sizeOfTable } from '../../src/world/pets/collection.ts'
import type { Pet } from '../../src/world/pets/pet.ts'
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

/** The counted bytes, added up again from every pet. */
function recounted({ internals: { worlds, snapshots } }: Opened): number {
  const tables = new Set<PetTable>()
  let bytes = 0
  for (const { name, collections } of worlds.all()) {
    for (const { table, ownBytes } of [collections.pets, collections.empty]) {
      tables.add(table)
      bytes += ownBytes
    }
    let before: Pets | undefined
    for (const { pets } of snapshots.inMemory?.(name).values() ?? []) {
      tables.add(pets.table)
      const others = new Set(before?.table === pets.table ? before.values() : pets.table.pets)
      bytes += sum([...pets.values()].filter((pet) => !others.has(pet)))
      before = pets
    }
  }
  for (const table of tables) bytes += sizeOfTable(table)
  return bytes
}

/** The bytes of all pets that namespaces and snapshots hold, each once. */
function held({ internals: { worlds, snapshots } }: Opened): number {
  const pets = new Set<Pet>()
  for (const { name, collections } of worlds.all()) {
    for (const pet of collections.pets.values()) pets.add(pet)
    for (const saved of snapshots.inMemory?.(name).values() ?? [])
      for (const pet of saved.pets.values()) pets.add(pet)
  }
  return sum(pets)
}

it.each([
  [1, true],
  [2, true],
  [3, false],
  [4, false],
])(
  'whatever is saved, restored, deleted, reset, forked and dropped, the count of the state is right (seed %i, pets are changed: %s)',
  async (seed, changes) => {
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
      seed: (name) => control('POST', `/seed?namespace=${name}`, { count: 1 + below(200), seed: below(3) }),
      create: (name) =>
        api('/pets', {
          key: `psk_enterprise.${name}`,
          json: { name: 'x'.repeat(below(500)) || 'y', categoryId: 1 },
        }),
    }
    const change: (typeof steps)[string] = (name) =>
      api(`/pets/${1 + below(20)}`, {
        method: 'PATCH',
        key: `psk_enterprise.${name}`,
        json: { name: 'z'.repeat(1 + below(500)) },
      })
    if (changes) steps.change = change
    const succeeded: Record<string, number> = {}
    for (let i = 0; i < 300; i++) {
      const step = one(...Object.keys(steps), 'save', 'restore', 'create')
      const { status } = await (steps[step] as (typeof steps)[string])(`w${below(4)}`)
      if (status < 300) succeeded[step] = (succeeded[step] ?? 0) + 1
      expect(stateSize.bytes, `${i}: ${step}`).toBe(recounted(opened))
      // A changed pet of a table that several namespaces share is subtracted in each of them.
      if (!changes) expect(stateSize.bytes).toBeGreaterThanOrEqual(held(opened))
    }
    expect(Object.keys(succeeded)).toHaveLength(Object.keys(steps).length)
    for (const { name } of (await control('GET', '/namespaces')).body)
      await control('DELETE', `/namespaces/${name}`)
    expect(internals.snapshots.namespaces()).toEqual([])
    await core.close()
  },
)

it('whoever starts with more pets than the limit can still delete and shorten them', async () => {
  const overlays = [{ name: 'changes', text: JSON.stringify(OVERLAY) }]
  const { core } = await openCore({ overlays, maxState: 500 })
  const api = apiOf(core.fetch)
  const change = async (name: string) => (await api('/pets/2', { method: 'PATCH', json: { name } })).status
  expect((await api('/pets/1', { method: 'DELETE' })).status).toBe(204)
  expect([await change('a'), await change('longer than before')]).toEqual([200, 503])
  await core.close()
})
