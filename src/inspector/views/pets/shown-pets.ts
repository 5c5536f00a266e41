import { computed, effect, signal } from '@preact/signals'
import { answerOf, api, hasState, replyOf } from '../../data/api.ts'
import { events, isPresentRequest } from '../../data/events.ts'
import { inWorld, route, shown, world } from '../../data/location.ts'
import { namespaces, petsVersion, resource } from '../../data/state.ts'
import type { Snapshot } from '../../data/types.ts'

/** A pet with the fields of the effective document. A long integer is a string of its digits. */
export type PetRow = Readonly<Record<string, unknown>>

/** Rows are fetched from a multiple of this number, and enough of them for the tallest window. */
const STEP = 50
const FETCHED = 250

/** The index of the first visible row. */
export const firstPet = signal(0)

const skip = computed(() => Math.floor(firstPet.value / STEP) * STEP)
const place = computed(() => JSON.stringify(shown()))

async function readPets() {
  const { q, status } = route.value
  const asked = { ...(status && { status }), ...(q && { q }) }
  const query = { ...shown(), ...asked, skip: skip.value, limit: FETCHED }
  const of = place.value
  const { data, headers } = await replyOf(api.GET('/pets', { params: { query } }))
  const counts = [...new URLSearchParams(headers.get('x-status-counts') ?? '')]
  return {
    of,
    skip: query.skip,
    rows: data as readonly PetRow[],
    total: Number(headers.get('x-total-count')),
    /** Without the search. */
    statuses: counts.map(([status, count]) => ({ status, count: Number(count) })),
  }
}

/** Why the pets cannot be shown, such as a status that the document does not have. */
export const refusedPets = signal('')

const [fetched, refresh] = resource<Awaited<ReturnType<typeof readPets>> | undefined>(undefined, async () => {
  try {
    const found = await readPets()
    refusedPets.value = ''
    return found
  } catch (error) {
    refusedPets.value = (error as Error).message
    return undefined
  }
})

/** The pets around the visible rows, and their total number; undefined until they were fetched. */
export const pets = computed(() => (fetched.value?.of === place.value ? fetched.value : undefined))

export const snapshots = signal<readonly Snapshot[]>([])

export async function readSnapshots(): Promise<void> {
  snapshots.value = await answerOf(api.GET('/snapshots', inWorld()))
}

/** Fetches pets after the visible rows, the search or the pets have changed, and snapshots every few seconds. */
export function startPets(): void {
  effect(() => {
    place.value
    skip.value
    petsVersion.value
    // The search text is part of the state in the URL.
    if (route.value.view === 'pets' && hasState.value) refresh(50)
  })
  effect(() => {
    world.value
    snapshots.value = []
  })
  effect(() => {
    world.value
    // No event tells of the snapshots that other clients save, so they are read as often as the namespaces.
    namespaces.value
    if (route.value.view === 'pets' && hasState.value) readSnapshots().catch(() => {})
  })
}

/** By id of a pet: the request that created or last changed it. */
export const makers = computed(
  () =>
    new Map(
      events.value.flatMap((event) =>
        isPresentRequest(event) && event.entry.namespace === world.value && event.entry.changed
          ? [[event.entry.changed.id, event.entry] as const]
          : [],
      ),
    ),
)
