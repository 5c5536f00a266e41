import { computed, effect, signal } from '@preact/signals'
import { api, replyOf } from '../../data/api.ts'
import { events } from '../../data/events.ts'
import { route, shown } from '../../data/location.ts'
import { paced } from '../../data/paced.ts'
import { petsVersion } from '../../data/state.ts'

/** A pet with whatever fields the effective document has; a long integer is a text of its digits. */
export type PetRow = Readonly<Record<string, unknown>>

/** Rows are fetched from a multiple of so many, and so many that none is missing in the tallest window. */
const STEP = 50
const FETCHED = 250

interface Pets {
  /** The namespace, and the point of its history. */
  readonly of: string
  readonly skip: number
  readonly rows: readonly PetRow[]
  readonly total: number
  /** How many there are of each status, whatever is looked for. */
  readonly statuses: readonly (readonly [status: string, count: number])[]
}

/** The row that the list begins with. */
export const firstPet = signal(0)
const fetched = signal<Pets | undefined>(undefined)

const skip = computed(() => Math.floor(firstPet.value / STEP) * STEP)
const place = computed(() => JSON.stringify(shown()))

/** The pets around what is seen, and how many there are; undefined until they are known. */
export const pets = computed(() => (fetched.value?.of === place.value ? fetched.value : undefined))

const refresh = paced(50, async () => {
  const { q, status } = route.value
  const asked = { ...(status && { status }), ...(q && { q }) }
  const query = { ...shown(), ...asked, skip: skip.value, limit: FETCHED }
  const of = place.value
  const { data, headers } = await replyOf(api.GET('/pets', { params: { query } }))
  const statuses = [...new URLSearchParams(headers.get('x-status-counts') ?? '')]
  fetched.value = {
    of,
    skip: query.skip,
    rows: data as readonly object[] as readonly PetRow[],
    total: Number(headers.get('x-total-count')),
    statuses: statuses.map(([name, count]) => [name, Number(count)]),
  }
})

/** Fetches them once something else is seen or looked for, or the pets have changed. */
export function startPets(): void {
  effect(() => {
    place.value
    skip.value
    petsVersion.value
    // Also what is looked for is there.
    if (route.value.view === 'pets') refresh()
  })
}

/** The requests that made a pet, or changed it last, by its id. */
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
