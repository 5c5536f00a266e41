import { isObject } from '../../../contract/openapi/json.ts'
import { pathText } from '../../../contract/openapi/validators.ts'
import { plural } from '../../../text/plural.ts'
import { type Check, type CheckContext, type CheckRun, check } from '../check.ts'
import { getPet, isAfterRemoval, quoted, REMOVAL, type ServiceResponse, valueText } from '../exchange.ts'
import { idOf, type ReceivedPet, withLongestId } from '../received-pets.ts'
import { differences, UNKNOWN_ID, valueAt } from '../values.ts'

const LIST = { send: 'GET /pets' }

/** Preconditions of the other checks. If one fails, no further request is sent with the key. */
export const CONNECTION: readonly Check[] = [
  check('key-accepted', '5', 'the key that was given is accepted', async (context) => {
    const answer = await context.once(LIST)
    if (isKeyRefused(answer)) context.stop('owner', 'the key was refused; give another with --key')
    else if (!isKeyAccepted(answer)) context.skip(`a response with ${answer.status} does not show it`)
    context.expect(isKeyAccepted(answer), answer, 'a valid key is accepted')
  }),
  check('list-answers', '4.1', 'listPets answers 200', async (context) => {
    const answer = await context.once(LIST)
    if (isKeyRefused(answer)) context.skip('the key was refused')
    if (context.expect(answer.status === 200, answer, '200')) return
    context.stop('owner', `listPets answers ${answer.status}; is ${context.baseUrl} the base URL?`)
  }),
  check('base-address', '1, 9', 'the base URL ends in /v1', (context) => {
    if (!context.baseUrl.endsWith('/v1')) context.skip('the given address does not end in /v1')
    context.checked()
  }),
]

/** A 403 without JSON is the page of a gateway: it may not have seen the key. */
const isKeyRefused = ({ status, json }: ServiceResponse): boolean =>
  status === 401 || (status === 403 && isObject(json))

/** False for a redirect, and for an error that any path may have: the key may not have been checked. */
const isKeyAccepted = ({ status }: ServiceResponse): boolean =>
  (status >= 200 && status < 300) || status === 400 || status === 429

/** Section 4.1: the pets in the response to listPets, and their number. */
export function listChecks({ list, contract }: CheckRun): Check[] {
  const { least, most, standard } = list
  const { statuses = [] } = contract.petShape
  const checks = [
    check(
      'limit-default',
      '4.1, 8',
      `without limit, ${standard === undefined ? 'pets' : `the first ${standard} pets`} are returned`,
      async (context) => {
        const first = standard ?? context.skip('limit has no default')
        const total = await expectCount(context, LIST.send, first)
        if (total <= first)
          context.note(`the service has ${petCount(total)}, too few to show the limit of the list`)
      },
    ),
    check(
      `limit-${least}`,
      '4.1, 8',
      `limit=${least}, the minimum, is accepted and returns ${least === 1 ? 'one pet' : petCount(least)}`,
      (context) => expectCount(context, list.limited(least), least),
    ),
    check(
      `limit-${most}`,
      '4.1, 8',
      `limit=${most}, the maximum, is accepted and returns at most ${most} pets`,
      async (context) => {
        const answer = await context.once({ send: list.complete })
        if (!context.expect(answer.status === 200, answer, `200: ${most} is the maximum of limit`)) return
        const { length } = context.petsIn(answer)
        context.expect(length <= most, answer, `at most ${most} pets`, petCount(length))
      },
    ),
    check(
      `limit-${most}-complete`,
      '4.1',
      `limit=${most} returns all pets if there are fewer`,
      async (context) => {
        const { length } = await context.allPets()
        if (length >= most) return context.skip(`there are ${most} pets or more`)
        for (const send of [LIST.send, ...statuses.map(list.filteredBy)]) await expectNoMore(context, send)
      },
    ),
    check('limit-n', '4.1', 'limit=n returns exactly n pets if there are at least n', async (context) => {
      const some = list.allowed(3)
      const total = await expectCount(context, list.limited(some), some)
      if (total < some) context.note(`the service has only ${petCount(total)}`)
    }),
    ...statuses.map((status) =>
      check(
        `status-${status}`,
        '4.1',
        `status=${status} returns the pets of that status and no others`,
        (context) => expectFiltered(context, status),
      ),
    ),
    check('filter-before-limit', '4.1', FILTER_FIRST, expectFilterFirst),
  ]
  return checks.filter(({ id }) => list.hasLimit || !/limit/.test(id))
}

const FILTER_FIRST = 'status and limit together: the filter first, then the limit'

/** Expects `most` pets, or all if there are fewer. Returns the number of pets, counted up to the longest list. */
async function expectCount(context: CheckContext, send: string, most: number): Promise<number> {
  const all = await context.allPets()
  const answer = await context.once({ send })
  if (!context.expect(answer.status === 200, answer, '200')) return all.length
  const count = Math.min(most, all.length)
  const { length } = context.petsIn(answer)
  context.expect(length === count, answer, petCount(count), petCount(length))
  return all.length
}

/** Expects that the complete list has every pet of another list. */
async function expectNoMore(context: CheckContext, send: string): Promise<void> {
  const { list } = context
  const complete = await context.once({ send: list.complete })
  const ids = new Set(context.petsIn(complete).map(idOf))
  const answer = await context.once({ send })
  if (answer.status !== 200) return
  const left = context.petsIn(answer).find((pet) => !ids.has(idOf(pet)))
  const expected = `the pets of ${send} too, because there are fewer than ${list.most}`
  context.expect(
    left === undefined,
    complete,
    expected,
    `${petCount(ids.size)} without ${valueText(left, answer)}`,
  )
}

async function expectFiltered(context: CheckContext, status: string): Promise<void> {
  const { list } = context
  const all = await context.allPets()
  const answer = await context.once({ send: list.filteredBy(status) })
  if (!context.expect(answer.status === 200, answer, `200: ${status} is a PetStatus`)) return
  const pets = context.petsIn(answer)
  const other = pets.find((pet) => pet.status !== status)
  const found = `${valueText(other, answer)} in the list`
  context.expect(other === undefined, answer, `only pets whose status is ${status}`, found)
  const ids = new Set(pets.map(idOf))
  const left = all.find((pet) => pet.status === status && !ids.has(idOf(pet)))
  const isCut = pets.length >= list.most
  const missing = `${valueText(left, answer)} of ${list.complete} is not in the list`
  context.expect(left === undefined || isCut, answer, `every pet whose status is ${status}`, missing)
  if (pets.length === 0 && !all.some((pet) => pet.status === status)) context.note(`no pet is ${status}`)
}

async function expectFilterFirst(context: CheckContext): Promise<void> {
  const all = await context.allPets()
  const first = all[0]?.status
  const of = (status: string) => all.filter((pet) => pet.status === status).length
  const { list, contract } = context
  const { statuses = [] } = contract.petShape
  const candidates = statuses.filter((status) => status !== first && of(status) > 0)
  const status = candidates.sort((one, other) => of(other) - of(one))[0]
  if (!status)
    return context.skip('no pet has another status than the first, so that the order makes no difference')
  const limit = list.allowed(Math.min(2, of(status)))
  const count = Math.min(limit, of(status))
  const answer = await context.once({ send: `${list.limited(limit)}&status=${status}` })
  if (!context.expect(answer.status === 200, answer, '200: limit and status combine')) return
  const pets = context.petsIn(answer)
  const expected = `${petCount(count)}, all ${status}`
  const received = `${petCount(pets.length)}, though ${of(status)} are ${status}`
  context.expect(pets.length === count, answer, expected, received)
  const other = pets.find((pet) => pet.status !== status)
  context.expect(other === undefined, answer, expected, `${valueText(other, answer)} in the list`)
}

const petCount = (count: number): string => plural(count, 'pet')

/** Section 4.3: getPet. */
export const GET_PET: readonly Check[] = [
  check('get-known', '4.3', 'getPet answers 200 with the requested pet', async (context) => {
    const listed = withLongestId(await context.allPets())
    if (!listed) return context.skip('the service has no pet')
    await expectReadable(context, listed)
  }),
  check('get-unknown', '4.3, 7', 'getPet of an unknown pet is 404', async (context) => {
    const answer = await context.once(getPet(UNKNOWN_ID))
    const allowed = isAfterRemoval(answer) ? [404, 410] : [404]
    context.expect(allowed.includes(answer.status), answer, '404 with an Error body')
  }),
]

/** Expects that getPet returns this pet with every digit, or that it is removed when this is allowed. */
export async function expectReadable(context: CheckContext, pet: ReceivedPet): Promise<void> {
  const answer = await context.once(getPet(pet.id))
  if (isAfterRemoval(answer) && [404, 410].includes(answer.status)) {
    return context.note(`getPet answers ${answer.status}: it is past ${REMOVAL}`)
  }
  if (!context.expect(answer.status === 200, answer, '200 with one Pet')) return
  if (isAfterRemoval(answer)) context.note(`getPet still answers, past ${REMOVAL}`)
  const { json } = answer
  const { petShape } = context.contract
  const expected = `the same pet: ${quoted(petShape.write(pet), answer)}`
  if (!isObject(json)) return void context.expect(false, answer, expected, quoted(answer.body, answer))
  expectSame(context, answer, json, pet)
}

/** Expects that a pet in a response has the fields of a known one, with every digit. */
export function expectSame(
  context: CheckContext,
  answer: ServiceResponse,
  received: ReceivedPet,
  pet: ReceivedPet,
): void {
  const { petShape } = context.contract
  const [known, read] = [petShape.pick(pet), petShape.pick(received)]
  context.checked()
  for (const path of [...differences(read, known), ...differences(known, read)]) {
    const [expected, received] = [known, read].map((each) => valueText(valueAt(each, path), answer))
    context.expect(false, answer, `the same ${pathText(path)}: ${expected}`, `${pathText(path)} ${received}`)
  }
}
