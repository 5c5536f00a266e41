import type { Check } from '../check.ts'
import { quoted } from '../quote.ts'
import { listPets } from '../service-request.ts'
import type { ServiceResponse } from '../service-response.ts'

/** The check that has to hold before any other that needs the key can tell something. */
export const LIST_ANSWERS = 'list-answers'

/** What everything else stands on: without it, nothing more is sent with the key. */
export const CONNECTION: readonly Check[] = [
  {
    id: 'key-accepted',
    section: '5',
    title: 'the key that was given is accepted',
    async run(context) {
      const answer = await context.once(listPets())
      if (isKeyRefused(answer)) context.stop('owner', 'the key was refused; give another with --key')
      else if (!isKeyAccepted(answer)) return context.skip(`an answer with ${answer.status} does not tell`)
      context.expect(isKeyAccepted(answer), answer, 'a valid key is let through')
    },
  },
  {
    id: LIST_ANSWERS,
    section: '4.1',
    title: 'listPets answers 200',
    async run(context) {
      const answer = await context.once(listPets())
      if (isKeyRefused(answer)) return context.skip('the key was refused')
      if (context.expect(answer.status === 200, answer, '200')) return
      context.stop('owner', `listPets answers ${answer.status}; is ${context.baseUrl} the base address?`)
    },
  },
  {
    id: 'base-address',
    section: '1, 9',
    title: 'the base address ends in /v1',
    run(context) {
      if (!context.baseUrl.endsWith('/v1')) context.skip(`the address that was given ends otherwise`)
      context.looked()
    },
  },
  {
    id: 'list-array',
    section: '2, 4.1',
    title: 'a list is a bare array of animals, without an envelope',
    async run(context) {
      const answer = await context.once(listPets())
      if (answer.status !== 200) context.skip(`listPets answered ${answer.status}`)
      const came = `a body that is no array: ${quoted(answer.body, answer)}`
      context.expect(Array.isArray(answer.json), answer, 'a JSON array of Pet records', came)
    },
  },
]

const isKeyRefused = ({ status }: ServiceResponse): boolean => status === 401 || status === 403

/** A redirect, or an error that any path may have, was perhaps given before anybody looked at the key. */
const isKeyAccepted = ({ status }: ServiceResponse): boolean =>
  (status >= 200 && status < 300) || status === 400 || status === 429
