import { computed, effect, signal } from '@preact/signals'
import { api, replyOf } from '../../data/api.ts'
import { events } from '../../data/events.ts'
import { route, shown } from '../../data/location.ts'
import { paced } from '../../data/paced.ts'
import { petsVersion } from '../../data/state.ts'

/** A pet with the fields of the effective document. A long integer is a string of its digits. */
export type PetRow = Readonly<Record<string, unknown>>

/** Rows are fetched from a multiple of this number, and enough of them for the tallest window. */
const STEP = 50
const FETCHED = 250

interface Pets {
  /** The namespace and the point. */
  readonly of: string
  readonly skip: number
  readonly rows: readonly PetRow[]
  readonly total: number
  /** The number of pets of each status, without the search. */
  readonly statuses: readonly (readonly [status: string, count: number])[]
}

/** The index of the first visible row. */
export const firstPet = signal(0)
const fetched = signal<Pets | undefined>(undefined)

const skip = computed(() => Math.floor(firstPet.value / STEP) * STEP)
const place = computed(() => JSON.stringify(shown()))

/** The pets around the visible rows, and their total number; undefined until they were fetched. */
export const pets = computed(() => (fetched.value?.of === place.value ? fetched.value : undefined))

const refresh = paced(async () => {
  const { q, status } = route.value
  const asked = { ...(status && { status }), ...(q && { q }) }
  const query = { ...shown(), ...asked, skip: skip.value, limit: FETCHED }
  const of = place.value
  const { data, headers } = await replyOf(api.GET('/pets', { params: { query } }))
  const statuses = [...new URLSearchParams(headers.get('x-status-counts') ?? '')]
  fetched.value = {
    of,
    skip: query.skip,
    rows: data,
    total: Number(headers.get('x-total-count')),
    statuses: statuses.map(([name, count]) => [name, Number(count)]),
  }
})

/** Fetches pets after the visible rows, the search or the pets have changed. */
export function startPets(): void {
  effect(() => {
    place.value
    skip.value
    petsVersion.value
    // The search text is part of the state in the URL.
    if (route.value.view === 'pets') refresh(50)
  })
}

/** By id of a pet: the request that created or last changed it. */
export const makers = computed(
  () =>
    new Map(
      events.value.flatMap((event) =>
        event.kind === 'request' && event.branch === undefined && event.entry.changed
          ? [[event.entry.changed.id, event.entry] as const]
          : [],
      ),
    ),
)
