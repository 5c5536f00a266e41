import { computed, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api, replyOf } from '../../data/api.ts'
import { allRequests } from '../../data/events.ts'
import { namespace, route, shownState, world } from '../../data/location.ts'
import { namespaces, petsVersion, resource, snapshots } from '../../data/state.ts'
import { read } from '../../parts/buttons.tsx'

/** A pet with the fields of the effective document. A long integer is a string of its digits. */
export type PetRow = Readonly<Record<string, unknown>>

/** Rows are fetched from a multiple of this number, and enough of them for the tallest window. */
const STEP = 50
const FETCHED = 250

/** The index of the first visible row. */
export const firstPet = signal(0)

const skip = computed(() => Math.floor(firstPet.value / STEP) * STEP)
const place = computed(() => JSON.stringify(shownState()))

async function readPets() {
  const { q, status } = route.value
  const asked = { ...(status && { status }), ...(q && { q }) }
  const query = { ...shownState(), ...asked, skip: skip.value, limit: FETCHED }
  const of = place.value
  const { data, headers } = await replyOf(api.GET('/pets', { params: { query } }))
  const counts = [...new URLSearchParams(headers.get('x-status-counts') ?? '')]
  return {
    of,
    asked: JSON.stringify(asked),
    skip: query.skip,
    rows: data as readonly PetRow[],
    total: Number(headers.get('x-total-count')),
    /** The number of all pets of each status, whatever the search is. */
    statuses: counts.map(([status, count]) => ({ status, count: Number(count) })),
  }
}

/** Undefined also after a refusal, for a status that the document does not have. */
const fetched = resource(undefined, () => read('pets', readPets))

/** The pets around the visible rows, and their total number; undefined until they were fetched. */
export const pets = computed(() => (fetched.value?.of === place.value ? fetched.value : undefined))

/** Reads pets after the visible rows, the search or the pets have changed, and snapshots every few seconds. */
export function usePets(): void {
  const { q, status } = route.value
  useEffect(() => fetched.refresh(50), [place.value, skip.value, petsVersion.value, q, status])
  // No event reports the snapshots that other clients save, so they are read as often as the namespaces.
  useEffect(() => snapshots.refresh(), [namespace.value, namespaces.value])
}

/** By id of a pet: the request that created or last changed it. */
export const makers = computed(() => {
  const made = allRequests.value.filter(({ entry }) => entry.changed && entry.namespace === world.value)
  return new Map(made.map(({ entry }) => [entry.changed?.id, entry]))
})
