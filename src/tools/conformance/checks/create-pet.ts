import { pathText } from '../../../contract/openapi/validators.ts'
import type { Check, CheckContext } from '../check.ts'
import { quoted, shownValue } from '../quote.ts'
import { COMPLETE, idOf, listedPets, MAX_LIMIT, petIn, petsIn, type ReceivedPet } from '../received-pets.ts'
import { createPet, getPet, listPets } from '../service-request.ts'
import type { ServiceResponse } from '../service-response.ts'
import { includes, isRecord, leavesOf, UNKNOWN_ID, valueAt } from '../values.ts'
import { expectReadable } from './get-pet.ts'

/** Section 4.2: createPet, and reading the created pet. */
export const CREATION: readonly Check[] = [
  {
    id: 'create',
    section: '4.2',
    title: 'createPet answers 201 with the pet as it was sent, and an id',
    writes: true,
    async run(context) {
      const answer = await context.once(createPet(context.newPets.full))
      if (!context.expect(answer.status === 201, answer, '201 with the created Pet')) return
      const { full } = context.newPets
      const expected = `the values that were sent: ${shownValue(full, answer)}`
      context.expect(includes(answer.json, full), answer, expected, quoted(answer.body, answer))
    },
  },
  {
    id: 'create-without-status',
    section: '2, 4.2',
    title: 'createPet with the required fields only, without a status, answers 201',
    writes: true,
    async run(context) {
      const { required } = context.newPets
      if ('status' in required) return context.skip('the contract requires a status')
      const answer = await context.once(createPet(required))
      if (!context.expect(answer.status === 201, answer, '201: status is not required')) return
      const { status } = petIn(context, answer, 201)
      context.observe(status === undefined ? 'no status' : `status ${shownValue(status, answer)}`)
    },
  },
  {
    id: 'int64-digits',
    section: '2',
    title: 'an int64 beyond 2^53 keeps every digit',
    writes: true,
    async run(context) {
      const created = await context.once(createPet(context.newPets.required))
      const pet = petIn(context, created, 201)
      expectDigits(context, created, pet)
      const read = await context.once(getPet(pet.id))
      if (read.status === 200 && isRecord(read.json)) expectDigits(context, read, read.json)
    },
  },
  {
    id: 'client-id',
    section: '2',
    title: 'the service assigns the id, whatever a client sends',
    writes: true,
    async run(context) {
      const answer = await context.once(createPet(context.newPets.withId))
      if (answer.status === 400) return context.note('a pet with an id is refused')
      if (!context.expect(answer.status === 201, answer, '201 with an id of its own, or 400')) return
      const pet = petIn(context, answer, 201)
      context.expect(
        idOf(pet) !== String(UNKNOWN_ID),
        answer,
        'an id of its own',
        quoted(answer.body, answer),
      )
    },
  },
  {
    id: 'create-unique',
    section: '2',
    title: 'every created pet has an id that no other has',
    writes: true,
    async run(context) {
      const { pets: before } = await listedPets(context, COMPLETE)
      const taken = new Set(before.map(idOf))
      const added: string[] = []
      const { full, required, withId } = context.newPets
      for (const pet of [full, required, withId]) {
        const answer = await context.once(createPet(pet))
        if (answer.status !== 201) continue
        const id = idOf(petIn(context, answer, 201))
        context.expect(!taken.has(id), answer, 'an id that no other pet has', `id ${id} again`)
        taken.add(id)
        added.push(id)
      }
      if (added.length > 0) context.note(`it added ${added.join(', ')}; the interface cannot remove them`)
    },
  },
  {
    id: 'create-readable',
    section: '1, 4.3',
    title: 'a created pet can be read by getPet',
    writes: true,
    async run(context) {
      const pet = petIn(context, await context.once(createPet(context.newPets.full)), 201)
      await expectReadable(context, await context.once(getPet(pet.id)), pet)
    },
  },
  {
    id: 'create-listed',
    section: '1, 3, 4.1',
    title: 'a created pet is found by the filter of its status',
    writes: true,
    run: expectListed,
  },
]

function expectDigits(context: CheckContext, answer: ServiceResponse, pet: ReceivedPet): void {
  for (const { path, value } of leavesOf(context.newPets.required)) {
    if (typeof value !== 'bigint') continue
    const name = pathText(path)
    const received = valueAt(pet, path)
    const expected = `${name} ${value}, as it was sent`
    context.expect(received === value, answer, expected, `${name} ${shownValue(received, answer)}`)
  }
}

async function expectListed(context: CheckContext): Promise<void> {
  const { full } = context.newPets
  const id = idOf(petIn(context, await context.once(createPet(full)), 201))
  const answer = await context.send(listPets(`limit=${MAX_LIMIT}&status=${full.status}`))
  const pets = petsIn(context, answer)
  const listed = pets.some((pet) => idOf(pet) === id)
  if (!listed && pets.length >= MAX_LIMIT) return context.skip(`${MAX_LIMIT} pets or more are ${full.status}`)
  context.expect(listed, answer, `the created pet, id ${id}, among them`, `${pets.length} others`)
}
