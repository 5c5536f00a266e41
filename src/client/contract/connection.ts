import { listPets } from './ask.ts'
import type { Check } from './check.ts'
import { quoted } from './words.ts'

/** What everything else stands on: without it, nothing more is sent with the key. */
export const CONNECTION: readonly Check[] = [
  {
    id: 'key-accepted',
    section: '5',
    title: 'the key that was given is accepted',
    async run(context) {
      const answer = await context.once(listPets())
      const accepted = answer.status !== 401 && answer.status !== 403
      context.expect(accepted, answer, 'a valid key is let through')
      if (!accepted) context.stop('owner', 'the key was refused; give another with --key')
    },
  },
  {
    id: 'list-answers',
    section: '4.1',
    title: 'listPets answers 200',
    async run(context) {
      const answer = await context.once(listPets())
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
