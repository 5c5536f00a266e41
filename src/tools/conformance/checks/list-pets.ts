import type { SchemaObject } from '../../../contract/openapi/document.ts'
import type { RecordShape } from '../../../contract/openapi/record-shape.ts'
import { plural } from '../../../text/plural.ts'
import type { Check, CheckContext } from '../check.ts'
import { shownValue } from '../quote.ts'
import { COMPLETE, DEFAULT_LIMIT, idOf, listedPets, MAX_LIMIT, petsIn } from '../received-pets.ts'
import { listPets } from '../service-request.ts'

/** Section 4.1: which pets listPets returns, and how many. */
export const listChecks = ({ schema }: RecordShape): Check[] => [
  {
    id: 'limit-default',
    section: '4.1, 8',
    title: `without limit, the first ${DEFAULT_LIMIT} pets are returned`,
    async run(context) {
      const total = await expectCount(context, '', DEFAULT_LIMIT)
      if (total <= DEFAULT_LIMIT)
        context.note(`it holds ${petCount(total)}; more than ${DEFAULT_LIMIT} would show it better`)
    },
  },
  {
    id: 'limit-1',
    section: '4.1, 8',
    title: 'limit=1, the minimum, is accepted and returns one pet',
    run: async (context) => void (await expectCount(context, 'limit=1', 1)),
  },
  {
    id: 'limit-100',
    section: '4.1, 8',
    title: `limit=${MAX_LIMIT}, the maximum, is accepted and returns at most ${MAX_LIMIT} pets`,
    async run(context) {
      const answer = await context.once(COMPLETE)
      if (!context.expect(answer.status === 200, answer, `200: ${MAX_LIMIT} is the maximum of limit`)) return
      const { length } = petsIn(context, answer)
      context.expect(length <= MAX_LIMIT, answer, `at most ${MAX_LIMIT} pets`, petCount(length))
    },
  },
  {
    id: 'limit-n',
    section: '4.1',
    title: 'limit=n returns exactly n pets where there are so many',
    async run(context) {
      const total = await expectCount(context, 'limit=3', 3)
      if (total < 3) context.note(`it holds ${petCount(total)} only`)
    },
  },
  {
    id: 'ids-unique',
    section: '2',
    title: 'no two pets of a list have the same id',
    async run(context) {
      const { answer, pets } = await listedPets(context, COMPLETE)
      const ids = pets.map(idOf)
      const twice = ids.find((id, i) => ids.indexOf(id) !== i)
      context.expect(twice === undefined, answer, 'ids that are unique', `id ${twice} more than once`)
    },
  },
  ...statusesOf(schema).map(
    (status): Check => ({
      id: `status-${status}`,
      section: '4.1',
      title: `status=${status} returns the pets of that status and no others`,
      run: (context) => expectFiltered(context, status),
    }),
  ),
  {
    id: 'filter-before-limit',
    section: '4.1',
    title: 'status and limit together: the filter first, then the limit',
    run: expectFilterFirst,
  },
]

/** The values that `status` may have. */
const statusesOf = ({ properties }: SchemaObject): readonly string[] =>
  ((properties as Readonly<Record<string, SchemaObject>>).status?.enum ?? []) as readonly string[]

/** Expects `most` pets, or all where there are fewer. Returns how many there are; more than 100 are not counted. */
async function expectCount(context: CheckContext, query: string, most: number): Promise<number> {
  const { pets: all } = await listedPets(context, COMPLETE)
  const answer = await context.once(listPets(query))
  if (!context.expect(answer.status === 200, answer, '200')) return all.length
  const count = Math.min(most, all.length)
  const { length } = petsIn(context, answer)
  context.expect(length === count, answer, petCount(count), petCount(length))
  return all.length
}

async function expectFiltered(context: CheckContext, status: string): Promise<void> {
  const { pets: all } = await listedPets(context, COMPLETE)
  const answer = await context.once(listPets(`limit=${MAX_LIMIT}&status=${status}`))
  if (!context.expect(answer.status === 200, answer, `200: ${status} is a PetStatus`)) return
  const pets = petsIn(context, answer)
  const other = pets.find((pet) => pet.status !== status)
  const received = `${shownValue(other, answer)} in the list`
  context.expect(other === undefined, answer, `only pets whose status is ${status}`, received)
  const ids = new Set(pets.map(idOf))
  const left = all.find((pet) => pet.status === status && !ids.has(idOf(pet)))
  const isCut = pets.length >= MAX_LIMIT
  context.expect(
    left === undefined || isCut,
    answer,
    `every pet whose status is ${status}`,
    `${shownValue(left, answer)} of ${COMPLETE.query} is not in the list`,
  )
  if (pets.length === 0 && !all.some((pet) => pet.status === status)) context.note(`no pet is ${status}`)
}

async function expectFilterFirst(context: CheckContext): Promise<void> {
  const { pets: all } = await listedPets(context, COMPLETE)
  const first = all[0]?.status
  const of = (status: string) => all.filter((pet) => pet.status === status).length
  const candidates = statusesOf(context.petShape.schema).filter(
    (status) => status !== first && of(status) > 0,
  )
  const status = candidates.sort((one, other) => of(other) - of(one))[0]
  if (!status)
    return context.skip('no pet has another status than the first, so that the order makes no difference')
  const count = Math.min(2, of(status))
  const sent = listPets(`limit=${count}&status=${status}`)
  const { answer, pets } = await listedPets(context, sent)
  const received = `${petCount(pets.length)}, though ${of(status)} are ${status}`
  context.expect(pets.length === count, answer, `${petCount(count)}, all ${status}`, received)
}

const petCount = (count: number): string => plural(count, 'pet')
