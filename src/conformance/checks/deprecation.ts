import { SECOND } from '../../domain/world/instant.ts'
import type { Check, CheckContext } from '../check.ts'
import { shownField } from '../quote.ts'
import { END_OF_REMOVAL, isAfterRemoval, isOnDayOfRemoval, REMOVAL } from '../removal-date.ts'
import { field, httpDateOf, type ServiceResponse } from '../service-response.ts'
import { described, judged } from './bodies.ts'

/** Sections 4.3 and 9: what answers say about getPet's removal. They send nothing; they run behind the others. */
export const DEPRECATION: readonly Check[] = [
  {
    id: 'deprecation-header',
    section: '4.3, 9',
    title: 'a Deprecation header of getPet is a date, before the removal',
    run(context) {
      const marked = answersOf(context, 'Deprecation')
      for (const answer of marked) {
        const came = shownField(answer, 'Deprecation')
        const isWrong = judged(context, answer).some(({ path }) => path === 'Deprecation')
        if (!context.expect(!isWrong, answer, 'a date as RFC 9745 has it: @1764892800', came)) continue
        const since = Number(field(answer, 'deprecation')?.slice(1)) * SECOND
        context.expect(since <= END_OF_REMOVAL, answer, `a date before ${REMOVAL}`, came)
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
        const came = shownField(answer, 'Sunset')
        const isRight = sunset !== undefined && isOnDayOfRemoval(sunset)
        context.expect(isRight, answer, 'Sunset: Thu, 05 Dec 2030 …, an HTTP date', came)
      }
    },
  },
  {
    id: 'others-not-deprecated',
    section: '4',
    title: 'listPets and createPet are not called deprecated',
    run(context) {
      for (const answer of described(context)) {
        if (answer.ask.operationId === 'getPet') continue
        for (const name of ['Deprecation', 'Sunset']) {
          const isMarked = field(answer, name.toLowerCase()) !== undefined
          context.expect(!isMarked, answer, 'only getPet is deprecated', shownField(answer, name))
        }
      }
    },
  },
]

/** The answers of getPet that carry this header; where none does, that is told and nothing held. */
function answersOf(context: CheckContext, name: string): ServiceResponse[] {
  const answers = described(context).filter(({ ask }) => ask.operationId === 'getPet')
  const marked = answers.filter((answer) => field(answer, name.toLowerCase()) !== undefined)
  const [first] = answers
  if (!first) return context.skip('getPet was not called')
  if (marked.length === 0 && !isAfterRemoval(first)) context.seen(`no ${name} header`)
  return marked
}
