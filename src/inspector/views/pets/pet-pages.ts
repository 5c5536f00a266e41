import { effect, signal } from '@preact/signals'
import { answerOf, api } from '../../data/api.ts'
import { route, world } from '../../data/location.ts'
import { point, shown } from '../../data/point.ts'
import { petsVersion } from '../../data/world-state.ts'

/** A pet with whatever fields the effective document has; a long integer is a text of its digits. */
export type PetRow = Readonly<Record<string, unknown>>

/** Pets are fetched by so many, and so many pages are kept. */
export const PAGE = 100
const KEPT = 20

/** '' = every one. */
export const wantedStatus = signal('')
export const pets = signal<ReadonlyMap<number, readonly PetRow[]>>(new Map())
export const petTotal = signal<number | undefined>(undefined)

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
  const status = wantedStatus.peek()
  const query = { ...shown(), skip: page * PAGE, limit: PAGE, ...(status && { status }) }
  const call = api.GET('/pets', { params: { query } })
  const found = await answerOf(call).catch(() => undefined)
  if (asOf !== generation) return
  asked.delete(page)
  if (!found) return
  petTotal.value = Number((await call).response.headers.get('x-total-count'))
  const kept = [...pets.peek()].filter(([each]) => each !== page).slice(-KEPT)
  pets.value = new Map([...kept, [page, found as readonly object[] as readonly PetRow[]]])
}

/** Fetched pages are stale once the pets, the world or the filter have changed. */
effect(() => {
  const isShown = route.value.view === 'pets'
  world.value
  point.value
  petsVersion.value
  wantedStatus.value
  generation++
  asked.clear()
  if (!isShown) pets.value = new Map()
  else refetch()
})

function refetch(): void {
  const known = [...pets.peek().keys()].slice(-3)
  const asOf = generation
  for (const page of known.length > 0 ? known : [0]) {
    asked.add(page)
    void fetchPage(page, asOf)
  }
  // The others stay until they are seen again.
  pets.value = new Map([...pets.peek()].filter(([page]) => known.includes(page)))
}
