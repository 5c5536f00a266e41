import { isObject } from '../../../contract/openapi/json.ts'
import { pathText } from '../../../contract/openapi/validators.ts'
import { type Check, type CheckContext, check } from '../check.ts'
import { createPet, getPet, quoted, type ServiceResponse, valueText } from '../exchange.ts'
import { idOf, type ReceivedPet } from '../received-pets.ts'
import { differences, leavesOf, UNKNOWN_ID, valueAt } from '../values.ts'
import { expectReadable, expectSame } from './reading.ts'

/** Section 4.2: createPet, and reading the created pet. */
export const CREATION: readonly Check[] = [
  check('create', '4.2', 'createPet answers 201 with the pet as it was sent, and an id', async (context) => {
    const { full } = context.newPets
    const answer = await context.once(createPet(full))
    if (!context.expect(answer.status === 201, answer, '201 with the created Pet')) return
    if (!context.expect(isObject(answer.json), answer, 'the created Pet')) return
    context.expect(valueAt(answer.json, ['id']) !== undefined, answer, 'the created Pet with its id')
    for (const path of differences(answer.json, context.newPets.returned(full))) {
      const name = pathText(path)
      const [sent, received] = [full, answer.json].map((pet) => valueText(valueAt(pet, path), answer))
      context.expect(false, answer, `${name} ${sent}, as it was sent`, `${name} ${received}`)
    }
  }),
  check(
    'create-without-status',
    '2, 4.2',
    'createPet with the required fields only, without a status, answers 201',
    async (context) => {
      const { required } = context.newPets
      if ('status' in required) return context.skip('the contract requires a status')
      const answer = await context.once(createPet(required))
      if (!context.expect(answer.status === 201, answer, '201: status is not required')) return
      const { status } = context.createdPet(answer)
      context.observe(status === undefined ? 'no status' : `status ${valueText(status, answer)}`)
    },
  ),
  check('int64-digits', '2', 'an int64 beyond 2^53 keeps every digit', async (context) => {
    const created = await context.once(createPet(context.newPets.required))
    const pet = context.createdPet(created)
    expectDigits(context, created, pet)
    const read = await context.once(getPet(pet.id))
    if (read.status === 200 && isObject(read.json)) expectDigits(context, read, read.json)
  }),
  check('client-id', '2', 'the service assigns the id, whatever a client sends', async (context) => {
    const answer = await context.once(createPet(context.newPets.withId))
    if (answer.status === 400) {
      // The service may have refused another part of the body.
      const { status } = await context.once(createPet(context.newPets.required))
      if (status !== 201) context.skip('a pet without an id is refused, too')
      return context.note('a pet with an id is refused')
    }
    if (!context.expect(answer.status === 201, answer, '201 with an id of its own, or 400')) return
    // As numbers: a service in JavaScript rounds the id that it takes.
    const isOwn = Number(idOf(context.createdPet(answer))) !== Number(UNKNOWN_ID)
    context.expect(isOwn, answer, 'an id of its own', quoted(answer.body, answer))
  }),
  check('create-unique', '2', 'every created pet has an id that no other has', async (context) => {
    const taken = new Set((await context.allPets()).map(idOf))
    const added: string[] = []
    const { full, required, withId } = context.newPets
    for (const pet of [full, required, withId]) {
      const answer = await context.once(createPet(pet))
      if (answer.status !== 201) continue
      const id = idOf(context.createdPet(answer))
      context.expect(!taken.has(id), answer, 'an id that no other pet has', `id ${id} again`)
      taken.add(id)
      added.push(quoted(id, answer))
    }
    if (added.length > 0) context.note(`it added ${added.join(', ')}; the interface cannot remove them`)
  }),
  check('create-readable', '1, 4.3', 'a created pet can be read by getPet', async (context) => {
    const { full, required } = context.newPets
    await expectReadable(context, context.createdPet(await context.once(createPet(full))))
    const other = await context.once(createPet(required))
    if (other.status === 201) await expectReadable(context, context.createdPet(other))
  }),
  check(
    'create-listed',
    '1, 3, 4.1',
    'a created pet is in the list, and in that of its status, as it was created',
    async (context) => {
      const { list, newPets } = context
      const { full, required } = newPets
      const created = context.createdPet(await context.once(createPet(full)))
      // It has no status, but is in the list, too.
      const other = await context.once(createPet(required))
      const complete = await context.send({ send: list.complete })
      expectListed(context, complete, created)
      expectListed(context, await context.send({ send: list.filteredBy(String(full.status)) }), created)
      if (other.status === 201) expectListed(context, complete, context.createdPet(other))
    },
  ),
]

function expectListed(context: CheckContext, answer: ServiceResponse, created: ReceivedPet): void {
  const pets = context.petsIn(answer)
  const { most } = context.list
  const id = idOf(created)
  const listed = pets.find((pet) => idOf(pet) === id)
  if (listed) expectSame(context, answer, listed, created)
  else if (pets.length >= most) context.note(`it may be beyond the first ${most} pets of ${answer.request}`)
  else context.expect(false, answer, `the created pet, id ${id}, among them`, `${pets.length} others`)
}

function expectDigits(context: CheckContext, answer: ServiceResponse, pet: ReceivedPet): void {
  const { newPets } = context
  for (const { path, value } of leavesOf(newPets.returned(newPets.required))) {
    if (typeof value !== 'bigint') continue
    const name = pathText(path)
    const received = valueAt(pet, path)
    const expected = `${name} ${value}, as it was sent`
    context.expect(received === value, answer, expected, `${name} ${valueText(received, answer)}`)
  }
}
