import type { Check } from '../check.ts'
import { quoted } from '../quote.ts'
import { listPets } from '../service-request.ts'
import type { ServiceResponse } from '../service-response.ts'

/** This check must pass before the others that need the key are useful. */
export const LIST_ANSWERS = 'list-answers'

/** Preconditions of the other checks: if they fail, nothing more is sent with the key. */
export const CONNECTION: readonly Check[] = [
  {
    id: 'key-accepted',
    section: '5',
    title: 'the key that was given is accepted',
    async run(context) {
      const answer = await context.once(listPets())
      if (isKeyRefused(answer)) context.stop('owner', 'the key was refused; give another with --key')
      else if (!isKeyAccepted(answer))
        return context.skip(`a response with ${answer.status} does not show it`)
      context.expect(isKeyAccepted(answer), answer, 'a valid key is accepted')
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
      if (!context.baseUrl.endsWith('/v1')) context.skip('the given address does not end in /v1')
      context.checked()
    },
  },
  {
    id: 'list-array',
    section: '2, 4.1',
    title: 'a list is a bare array of pets, without an envelope',
    async run(context) {
      const answer = await context.once(listPets())
      if (answer.status !== 200) context.skip(`listPets answered ${answer.status}`)
      const received = `a body that is not an array: ${quoted(answer.body, answer)}`
      context.expect(Array.isArray(answer.json), answer, 'a JSON array of Pet records', received)
    },
  },
]

const isKeyRefused = ({ status }: ServiceResponse): boolean => status === 401 || status === 403

/** A redirect, or an error that any path may have, was perhaps sent before the key was checked. */
const isKeyAccepted = ({ status }: ServiceResponse): boolean =>
  (status >= 200 && status < 300) || status === 400 || status === 429
