import type { Check, CheckContext } from '../check.ts'
import { quoted } from '../quote.ts'
import {
  COMPLETE,
  fieldsOf,
  isRecord,
  listedPets,
  type ReceivedPet,
  UNKNOWN_ID,
  withLongestId,
} from '../received-pets.ts'
import { isAfterRemoval, REMOVAL } from '../removal-date.ts'
import { getPet } from '../service-request.ts'
import type { ServiceResponse } from '../service-response.ts'

/** Section 4.3: getPet. */
export const GET_PET: readonly Check[] = [
  {
    id: 'get-known',
    section: '4.3',
    title: 'getPet answers 200 with the one animal that was asked for',
    async run(context) {
      const { pets } = await listedPets(context, COMPLETE)
      const listed = withLongestId(pets)
      if (!listed) return context.skip('the store holds no animal')
      await expectReadable(context, await context.once(getPet(listed.id)), listed)
    },
  },
  {
    id: 'get-unknown',
    section: '4.3, 7',
    title: 'getPet of an unknown animal is 404',
    async run(context) {
      const answer = await context.once(getPet(UNKNOWN_ID))
      const allowed = isAfterRemoval(answer) ? [404, 410] : [404]
      context.expect(allowed.includes(answer.status), answer, '404 with an Error body')
    },
  },
]

/** That getPet answers with this animal, to the last digit; or that it is gone when it may be. */
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
  const came = quoted(answer.body, answer)
  const expected = `the same animal: ${quoted(fieldsOf(pet), answer)}`
  context.expect(isRecord(json) && fieldsOf(json) === fieldsOf(pet), answer, expected, came)
}
