import { isDeepStrictEqual } from 'node:util'
import type { Check, CheckContext } from '../check.ts'
import { quoted } from '../quote.ts'
import { COMPLETE, listedPets, type ReceivedPet, withLongestId } from '../received-pets.ts'
import { isAfterRemoval, REMOVAL } from '../removal-date.ts'
import { getPet } from '../service-request.ts'
import type { ServiceResponse } from '../service-response.ts'
import { isRecord, UNKNOWN_ID } from '../values.ts'

/** Section 4.3: getPet. */
export const GET_PET: readonly Check[] = [
  {
    id: 'get-known',
    section: '4.3',
    title: 'getPet answers 200 with the requested pet',
    async run(context) {
      const { pets } = await listedPets(context, COMPLETE)
      const listed = withLongestId(pets)
      if (!listed) return context.skip('the store holds no pet')
      await expectReadable(context, await context.once(getPet(listed.id)), listed)
    },
  },
  {
    id: 'get-unknown',
    section: '4.3, 7',
    title: 'getPet of an unknown pet is 404',
    async run(context) {
      const answer = await context.once(getPet(UNKNOWN_ID))
      const allowed = isAfterRemoval(answer) ? [404, 410] : [404]
      context.expect(allowed.includes(answer.status), answer, '404 with an Error body')
    },
  },
]

/** Expects that getPet returns this pet with every digit, or that it is removed when this is allowed. */
export async function expectReadable(
  context: CheckContext,
  answer: ServiceResponse,
  pet: ReceivedPet,
): Promise<void> {
  if (isAfterRemoval(answer) && [404, 410].includes(answer.status)) {
    return context.note(`getPet answers ${answer.status}: it is past ${REMOVAL}`)
  }
  if (!context.expect(answer.status === 200, answer, '200 with one Pet')) return
  if (isAfterRemoval(answer)) context.note(`getPet still answers, past ${REMOVAL}`)
  const { json } = answer
  const { petShape } = context
  const received = quoted(answer.body, answer)
  const expected = `the same pet: ${quoted(petShape.write(pet), answer)}`
  context.expect(
    isRecord(json) && isDeepStrictEqual(petShape.pick(json), petShape.pick(pet)),
    answer,
    expected,
    received,
  )
}
