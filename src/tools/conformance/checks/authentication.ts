import type { Check, CheckContext } from '../check.ts'
import { COMPLETE, type ReceivedPet } from '../received-pets.ts'
import { createPet, getPet, listPets, type ServiceRequest, without } from '../service-request.ts'
import { isRecord } from '../values.ts'

/** Section 5: every request needs a valid key. */
export const AUTHENTICATION: readonly Check[] = (['missing', 'invalid'] as const).flatMap((key) => [
  refusal(key, 'listPets', () => listPets()),
  refusal(key, 'getPet', getKnown),
  {
    ...refusal(key, 'createPet', ({ mark, newPets }) => createPet(newPets.refused(mark))),
    writes: true as const,
  },
])

function refusal(
  key: 'missing' | 'invalid',
  operationId: string,
  sent: (context: CheckContext) => ServiceRequest | Promise<ServiceRequest>,
): Check {
  return {
    id: `${key}-key-${operationId}`,
    section: '5, 7',
    title: `${key === 'missing' ? 'a missing' : 'an invalid'} key is 401 on ${operationId}`,
    async run(context) {
      const answer = await context.once(without(key, await sent(context)))
      context.expect(answer.status === 401, answer, '401 with an Error body')
    },
  }
}

/** An existing pet, so that only the key can be the reason for an error. */
async function getKnown(context: CheckContext): Promise<ServiceRequest> {
  const { json } = await context.once(COMPLETE).catch(() => ({ json: undefined }))
  const [first] = Array.isArray(json) ? json.filter(isRecord) : []
  return getPet((first as ReceivedPet | undefined)?.id ?? 1)
}
