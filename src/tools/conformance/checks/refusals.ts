import { stringifyJson } from '../../../contract/openapi/json.ts'
import type { Check, CheckContext } from '../check.ts'
import type { NewPets } from '../new-pets.ts'
import { quoted, shownValue } from '../quote.ts'
import { COMPLETE, codeOf, MAX_LIMIT, petsIn } from '../received-pets.ts'
import { createPet, getPet, listPets, type ServiceRequest, without } from '../service-request.ts'
import { isRecord } from '../values.ts'

interface Row extends Omit<Check, 'run'> {
  readonly sent: (context: CheckContext) => ServiceRequest | Promise<ServiceRequest>
}

/** Send this, expect that status. */
const refused = (status: number, { sent, ...check }: Row): Check => ({
  ...check,
  async run(context) {
    const answer = await context.once(await sent(context))
    context.expect(answer.status === status, answer, `${status} with an Error body`)
  },
})

/** Section 5: every request needs a valid key. */
export const AUTHENTICATION: readonly Check[] = (['missing', 'invalid'] as const).flatMap((key) =>
  [
    { operationId: 'listPets', sent: () => listPets() },
    { operationId: 'getPet', sent: getKnown },
    {
      operationId: 'createPet',
      sent: ({ mark, newPets }: CheckContext) => createPet(newPets.refused(mark)),
      writes: true as const,
    },
  ].map(({ operationId, sent, ...more }) =>
    refused(401, {
      id: `${key}-key-${operationId}`,
      section: '5, 7',
      title: `${key === 'missing' ? 'a missing' : 'an invalid'} key is 401 on ${operationId}`,
      sent: async (context) => without(key, await sent(context)),
      ...more,
    }),
  ),
)

/** An existing pet, so that only the key can be the reason for an error. */
async function getKnown(context: CheckContext): Promise<ServiceRequest> {
  const { json } = await context.once(COMPLETE).catch(() => ({ json: undefined }))
  const [first] = Array.isArray(json) ? json.filter(isRecord) : []
  return getPet(first?.id ?? 1)
}

/** Sections 4.2 and 7: what createPet rejects, and that it stores nothing of it. */
export const refusalChecks = ({ invalid }: NewPets): Check[] => [
  ...invalid.map(({ id, title, body }) =>
    refused(400, {
      id: `bad-body-${id}`,
      section: '4.2, 7',
      title: `createPet with ${title} is 400`,
      writes: true,
      sent: ({ mark }) => createPet(body(mark)),
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

const OPEN: readonly (readonly [id: string, section: string, title: string, sent: ServiceRequest])[] = [
  ['limit=0', '7', 'limit=0, out of range', listPets('limit=0')],
  ['limit=101', '7', 'limit=101, out of range', listPets('limit=101')],
  ['limit=abc', '7', 'limit=abc, no integer', listPets('limit=abc')],
  ['status=lost', '7', 'status=lost, no PetStatus', listPets('status=lost')],
  ['petId=abc', '4.3', 'a petId that is not an integer', getPet('abc')],
  ['orders', '4.4', 'GET /store/orders, which is named only', { operationId: 'listOrders' }],
]

/** What the interface leaves open: each reports an observation and never fails. */
export const UNSPECIFIED: readonly Check[] = OPEN.map(([id, section, title, sent]) => ({
  id,
  section,
  title,
  observes: true,
  async run(context) {
    const answer = await context.once(sent)
    const code = codeOf(answer)
    const name = code === undefined ? '' : ` (${quoted(code, answer)})`
    const count = Array.isArray(answer.json) ? ` with ${answer.json.length} elements` : ''
    context.observe(`status ${answer.status}${name}${count} for ${answer.request}`)
  },
}))
