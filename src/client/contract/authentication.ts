import { type Ask, createPet, getPet, listPets, without } from './ask.ts'
import type { Check, Context } from './check.ts'
import { COMPLETE, isObject, type SeenPet } from './pets.ts'
import { refusedPet } from './refusals.ts'

/** Section 5: nobody gets in without a valid key. */
export const AUTHENTICATION: readonly Check[] = (['missing', 'invalid'] as const).flatMap((key) => [
  refusal(key, 'listPets', () => listPets()),
  refusal(key, 'getPet', getKnown),
  { ...refusal(key, 'createPet', ({ mark }) => createPet(refusedPet(mark))), writes: true as const },
])

function refusal(
  key: 'missing' | 'invalid',
  operationId: string,
  ask: (context: Context) => Ask | Promise<Ask>,
): Check {
  return {
    id: `${key}-key-${operationId}`,
    section: '5, 7',
    title: `${key === 'missing' ? 'a missing' : 'an invalid'} key is 401 on ${operationId}`,
    async run(context) {
      const answer = await context.once(without(key, await ask(context)))
      context.expect(answer.status === 401, answer, '401 with an Error body')
    },
  }
}

/** An animal that is there, so that only the key can be the reason of a refusal. */
async function getKnown(context: Context): Promise<Ask> {
  const { json } = await context.once(COMPLETE).catch(() => ({ json: undefined }))
  const [first] = Array.isArray(json) ? json.filter(isObject) : []
  return getPet((first as SeenPet | undefined)?.id ?? 1)
}
