import type { SchemaObject } from '../../../contract/openapi/document.ts'
import type { RecordShape } from '../../../contract/openapi/record-shape.ts'
import { plural } from '../../../text/plural.ts'
import type { Check, CheckContext } from '../check.ts'
import { shownValue } from '../quote.ts'
import { COMPLETE, DEFAULT_LIMIT, idOf, listedPets, MAX_LIMIT, type ReceivedPet } from '../received-pets.ts'
import { listPets } from '../service-request.ts'

/** Section 4.1: which pets listPets returns, and how many. */
export const listChecks = ({ schema }: RecordShape): Check[] => [
  {
    id: 'limit-default',
    section: '4.1, 8',
    title: `without limit, the first ${DEFAULT_LIMIT} pets are returned`,
    async run(context) {
      const total = await totalOf(context)
      await expectCount(context, '', Math.min(DEFAULT_LIMIT, total))
      if (total <= DEFAULT_LIMIT)
        context.note(`it holds ${petCount(total)}; more than ${DEFAULT_LIMIT} would show it better`)
    },
  },
  {
    id: 'limit-1',
    section: '4.1, 8',
    title: 'limit=1, the minimum, is accepted and returns one pet',
    run: async (context) => expectCount(context, 'limit=1', Math.min(1, await totalOf(context))),
  },
  {
    id: 'limit-100',
    section: '4.1, 8',
    title: `limit=${MAX_LIMIT}, the maximum, is accepted and returns at most ${MAX_LIMIT} pets`,
    async run(context) {
      const answer = await context.once(COMPLETE)
      if (!context.expect(answer.status === 200, answer, `200: ${MAX_LIMIT} is the maximum of limit`)) return
      const { pets } = await listedPets(context, COMPLETE)
      context.expect(pets.length <= MAX_LIMIT, answer, `at most ${MAX_LIMIT} pets`, petCount(pets.length))
    },
  },
  {
    id: 'limit-n',
    section: '4.1',
    title: 'limit=n returns exactly n pets where there are so many',
    async run(context) {
      const total = await totalOf(context)
      await expectCount(context, 'limit=3', Math.min(3, total))
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

/** How many pets there are; more than 100 are not counted. */
const totalOf = async (context: CheckContext): Promise<number> =>
  (await listedPets(context, COMPLETE)).pets.length

async function expectCount(context: CheckContext, query: string, count: number): Promise<void> {
  const sent = listPets(query)
  const first = await context.once(sent)
  if (!context.expect(first.status === 200, first, '200')) return
  const { answer, pets } = await listedPets(context, sent)
  context.expect(pets.length === count, answer, petCount(count), petCount(pets.length))
}

async function expectFiltered(context: CheckContext, status: string): Promise<void> {
  const { pets: all } = await listedPets(context, COMPLETE)
  const sent = listPets(`limit=${MAX_LIMIT}&status=${status}`)
  const first = await context.once(sent)
  if (!context.expect(first.status === 200, first, `200: ${status} is a PetStatus`)) return
  const { answer, pets } = await listedPets(context, sent)
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
  const of = (status: string) => all.filter((pet: ReceivedPet) => pet.status === status).length
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
