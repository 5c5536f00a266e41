import { computed, effect, signal, untracked } from '@preact/signals'
import { api, replyOf } from '../../data/api.ts'
import { events } from '../../data/events.ts'
import { point, route, shown, world } from '../../data/location.ts'
import { petsVersion } from '../../data/state.ts'

/** A pet with whatever fields the effective document has; a long integer is a text of its digits. */
export type PetRow = Readonly<Record<string, unknown>>

/** Pets are fetched by so many, and so many pages are kept. */
export const PAGE = 100
const KEPT = 20

export const pets = signal<ReadonlyMap<number, readonly PetRow[]>>(new Map())
/** How many there are of those that are looked for. */
export const petTotal = signal<number | undefined>(undefined)
/** How many there are of each status, whatever is looked for. */
export const statusCounts = signal<readonly (readonly [status: string, count: number])[]>([])

export const pageOf = (index: number): number => Math.floor(index / PAGE)

const asked = new Set<number>()
let generation = 0

/** Fetches what is about to be seen, unless it is there. */
export function wantPages(first: number, count: number): void {
  for (let page = pageOf(first); page <= pageOf(first + count); page++) {
    if (asked.has(page) || pets.peek().has(page)) continue
    if (page > 0 && page * PAGE >= (petTotal.peek() ?? 0)) continue
    asked.add(page)
    void fetchPage(page, generation)
  }
}

async function fetchPage(page: number, asOf: number): Promise<void> {
  const { q, status } = route.peek()
  const query = { ...shown(), skip: page * PAGE, limit: PAGE, ...(status && { status }), ...(q && { q }) }
  const found = await replyOf(api.GET('/pets', { params: { query } })).catch(() => undefined)
  if (asOf !== generation) return
  asked.delete(page)
  if (!found) return
  petTotal.value = Number(found.headers.get('x-total-count'))
  const counts = new URLSearchParams(found.headers.get('x-status-counts') ?? '')
  statusCounts.value = [...counts].map(([name, count]) => [name, Number(count)])
  const kept = [...pets.peek()].filter(([each]) => each !== page).slice(-KEPT)
  pets.value = new Map([...kept, [page, found.data as readonly object[] as readonly PetRow[]]])
}

/** Fetches again what was fetched, once the pets, the world or what is looked for have changed. */
export function startPets(): void {
  let before = ''
  effect(() => {
    const { view, q, status } = route.value
    const wanted = JSON.stringify([world.value, point.value, q, status])
    petsVersion.value
    untracked(() => {
      generation++
      asked.clear()
      if (wanted !== before) pets.value = new Map()
      before = wanted
      if (view === 'pets') refetch()
    })
  })
}

function refetch(): void {
  const known = [...pets.peek().keys()].slice(-3)
  const pages = known.length > 0 ? known : [0]
  for (const page of pages) {
    asked.add(page)
    void fetchPage(page, generation)
  }
  // The others are fetched once they are seen again.
  pets.value = new Map([...pets.peek()].filter(([page]) => pages.includes(page)))
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
