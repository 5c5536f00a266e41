import { SECOND } from '../../../time/instant.ts'
import type { Check, CheckContext } from '../check.ts'
import { shownField } from '../quote.ts'
import { END_OF_REMOVAL, isAfterRemoval, isOnDayOfRemoval, REMOVAL } from '../removal-date.ts'
import { field, httpDateOf, type ServiceResponse } from '../service-response.ts'
import { described, violationsOf } from './bodies.ts'

/** Sections 4.3 and 9: the headers about getPet's removal. They send nothing; they run after the others. */
export const DEPRECATION: readonly Check[] = [
  {
    id: 'deprecation-header',
    section: '4.3, 9',
    title: 'a Deprecation header of getPet is a date, before the removal',
    run(context) {
      const marked = answersOf(context, 'Deprecation')
      for (const answer of marked) {
        const received = shownField(answer, 'Deprecation')
        const isWrong = violationsOf(context, answer).some(({ path }) => path === 'Deprecation')
        if (!context.expect(!isWrong, answer, 'a date as RFC 9745 has it: @1764892800', received)) continue
        const since = Number(field(answer, 'deprecation')?.slice(1)) * SECOND
        context.expect(since <= END_OF_REMOVAL, answer, `a date before ${REMOVAL}`, received)
      }
    },
  },
  {
    id: 'sunset-header',
    section: '4.3, 9',
    title: `a Sunset header of getPet names ${REMOVAL}`,
    run(context) {
      for (const answer of answersOf(context, 'Sunset')) {
        const sunset = httpDateOf(field(answer, 'sunset'))
        const received = shownField(answer, 'Sunset')
        const isRight = sunset !== undefined && isOnDayOfRemoval(sunset)
        context.expect(isRight, answer, 'Sunset: Thu, 05 Dec 2030 …, an HTTP date', received)
      }
    },
  },
  {
    id: 'others-not-deprecated',
    section: '4',
    title: 'listPets and createPet are not marked deprecated',
    run(context) {
      for (const answer of described(context)) {
        if (answer.sent.operationId === 'getPet') continue
        for (const name of ['Deprecation', 'Sunset']) {
          const isMarked = field(answer, name.toLowerCase()) !== undefined
          context.expect(!isMarked, answer, 'only getPet is deprecated', shownField(answer, name))
        }
      }
    },
  },
]

/** The responses of getPet with this header; if there are none, this is noted and nothing is checked. */
function answersOf(context: CheckContext, name: string): ServiceResponse[] {
  const answers = described(context).filter(({ sent }) => sent.operationId === 'getPet')
  const marked = answers.filter((answer) => field(answer, name.toLowerCase()) !== undefined)
  const [first] = answers
  if (!first) return context.skip('getPet was not called')
  if (marked.length === 0 && !isAfterRemoval(first)) context.observe(`no ${name} header`)
  return marked
}
