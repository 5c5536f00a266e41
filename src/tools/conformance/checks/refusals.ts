import { stringifyJson } from '../../../contract/openapi/json.ts'
import type { Check } from '../check.ts'
import type { NewPets } from '../new-pets.ts'
import { shownValue } from '../quote.ts'
import { COMPLETE, MAX_LIMIT, petsIn } from '../received-pets.ts'
import { createPet } from '../service-request.ts'

/** Sections 4.2 and 7: what createPet rejects, and that it stores nothing of it. */
export const refusalChecks = ({ invalid }: NewPets): Check[] => [
  ...invalid.map(
    ({ id, title, body }): Check => ({
      id: `bad-body-${id}`,
      section: '4.2, 7',
      title: `createPet with ${title} is 400`,
      writes: true,
      async run(context) {
        const answer = await context.once(createPet(body(context.mark)))
        context.expect(answer.status === 400, answer, '400 with an Error body')
      },
    }),
  ),
  {
    id: 'refused-not-stored',
    section: '4.2',
    title: 'what was refused is not stored',
    writes: true,
    async run(context) {
      const answer = await context.send(COMPLETE)
      const pets = petsIn(context, answer)
      const mark = new RegExp(`(?<!\\d)${context.mark}(?!\\d)`)
      const stored = pets.find((pet) => mark.test(stringifyJson(pet)))
      const received = `${shownValue(stored, answer)} in the list`
      context.expect(stored === undefined, answer, 'nothing of a request that was refused', received)
      if (pets.length >= MAX_LIMIT) context.note(`only the first ${MAX_LIMIT} pets could be looked at`)
    },
  },
]
