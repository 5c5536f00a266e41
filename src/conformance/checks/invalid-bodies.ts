import type { Check } from '../check.ts'
import { shownValue } from '../quote.ts'
import { COMPLETE, MOST, petsIn } from '../received-pets.ts'
import { createPet } from '../service-request.ts'

/** A pet that must never be stored; it contains the mark of the run. */
export const refusedPet = (mark: number) => ({ name: `refused ${mark}`, categoryId: mark })

type Body = string | object | undefined

const BAD_BODIES: readonly (readonly [id: string, title: string, body: (mark: number) => Body])[] = [
  ['none', 'no body', () => undefined],
  ['empty', 'an empty object', () => '{}'],
  ['no-name', 'a body without name', (mark) => ({ categoryId: mark })],
  ['no-category', 'a body without categoryId', (mark) => ({ name: `refused ${mark}` })],
  ['name-number', 'a name that is a number', (mark) => ({ ...refusedPet(mark), name: mark })],
  ['name-null', 'a name that is null', (mark) => ({ ...refusedPet(mark), name: null })],
  ['category-text', 'a categoryId that is a string', (mark) => ({ ...refusedPet(mark), categoryId: '1' })],
  ['category-fraction', 'a categoryId of 1.5', (mark) => ({ ...refusedPet(mark), categoryId: 1.5 })],
  [
    'category-range',
    'a categoryId of 2^63, beyond int64',
    (mark) => ({ ...refusedPet(mark), categoryId: 2n ** 63n }),
  ],
  ['status-unknown', 'a status that is not a PetStatus', (mark) => ({ ...refusedPet(mark), status: 'lost' })],
  ['status-number', 'a status that is a number', (mark) => ({ ...refusedPet(mark), status: 1 })],
  ['array', 'an array', (mark) => [refusedPet(mark)]],
  ['cut', 'a truncated body', (mark) => `{"name":"refused ${mark}","categoryId":${mark}`],
]

/** Sections 4.2 and 7: what createPet rejects, and that it stores nothing of it. */
export const INVALID_BODIES: readonly Check[] = [
  ...BAD_BODIES.map(
    ([id, title, body]): Check => ({
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
      const { name, categoryId } = refusedPet(context.mark)
      const stored = pets.find(
        (pet) => pet.name === name || pet.name === categoryId || pet.categoryId === categoryId,
      )
      const received = `${shownValue(stored, answer)} in the list`
      context.expect(stored === undefined, answer, 'nothing of a request that was refused', received)
      if (pets.length >= MOST) context.note(`only the first ${MOST} pets could be looked at`)
    },
  },
]
