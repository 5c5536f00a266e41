import { isObject, stringifyJson } from '../../../contract/openapi/json.ts'
import { plural } from '../../../text/plural.ts'
import { type Check, type CheckContext, check, needing, observing } from '../check.ts'
import { createPet, getPet, quoted, type ServiceRequest, valueText } from '../exchange.ts'
import type { NewPets } from '../new-pets.ts'
import { codeOf } from '../received-pets.ts'

type Sent = (context: CheckContext) => ServiceRequest | Promise<ServiceRequest>

/** Sends a request and expects this status. */
const refused = (status: number, id: string, section: string, title: string, sent: Sent): Check =>
  check(id, section, title, async (context) => {
    const answer = await context.once(await sent(context))
    context.expect(answer.status === status, answer, `${status} with an Error body`)
  })

const keyChecks = (operationId: string, sent: Sent): Check[] =>
  (['missing', 'invalid'] as const).map((key) => {
    const title = `${key === 'missing' ? 'a missing' : 'an invalid'} key is 401 on ${operationId}`
    const withKey: Sent = async (context) => {
      if (context.contract.operations.get(operationId)?.isOpen) context.skip(`${operationId} needs no key`)
      return { ...(await sent(context)), key }
    }
    return refused(401, `${key}-key-${operationId}`, '5, 7', title, withKey)
  })

/** Section 5: every request needs a valid key. */
export const AUTHENTICATION: readonly Check[] = [
  ...keyChecks('listPets', () => ({ send: 'GET /pets' })),
  ...keyChecks('getPet', getKnown),
  ...needing(
    '--allow-writes',
    keyChecks('createPet', ({ mark, newPets }) => createPet(newPets.refused(mark))),
  ),
]

/** An existing pet, so that only the key can be the reason for an error. */
async function getKnown(context: CheckContext): Promise<ServiceRequest> {
  const { json } = await context.once({ send: context.list.complete }).catch(() => ({ json: undefined }))
  const [first] = Array.isArray(json) ? json.filter(isObject) : []
  return getPet(first?.id ?? 1)
}

/** Sections 4.2 and 7: createPet refuses invalid bodies, and stores nothing of them. */
export const refusalChecks = ({ invalid }: NewPets): Check[] => [
  ...invalid.map(({ id, title, body }) =>
    refused(400, `bad-body-${id}`, '4.2, 7', `createPet with ${title} is 400`, ({ mark }) =>
      createPet(body(mark)),
    ),
  ),
  check('refused-not-stored', '4.2', 'what was refused is not stored', async (context) => {
    const answer = await context.send({ send: context.list.complete })
    const pets = context.petsIn(answer)
    const mark = new RegExp(`(?<!\\d)${context.mark}(?!\\d)`)
    const stored = pets.find((pet) => mark.test(stringifyJson(pet)))
    const received = `${valueText(stored, answer)} in the list`
    context.expect(stored === undefined, answer, 'nothing of a request that must be refused', received)
    const { most } = context.list
    if (pets.length >= most) context.note(`only the first ${most} pets could be looked at`)
  }),
]

const OPEN = [
  ['limit=0', '7', 'limit=0, out of range', 'GET /pets?limit=0'],
  ['limit=101', '7', 'limit=101, out of range', 'GET /pets?limit=101'],
  ['limit=abc', '7', 'limit=abc, not an integer', 'GET /pets?limit=abc'],
  ['status=lost', '7', 'status=lost, not a PetStatus', 'GET /pets?status=lost'],
  ['petId=abc', '4.3', 'a petId that is not an integer', 'GET /pets/abc'],
  ['orders', '4.4', 'GET /store/orders, which is named only', 'GET /store/orders'],
] as const

/** Requests for which the interface leaves the response open. */
export const UNSPECIFIED: readonly Check[] = OPEN.map(([id, section, title, send]) =>
  observing(id, section, title, async (context) => {
    const answer = await context.once({ send })
    const code = codeOf(answer)
    const name = code === undefined ? '' : ` (${quoted(code, answer)})`
    const count = Array.isArray(answer.json) ? ` with ${plural(answer.json.length, 'element')}` : ''
    context.observe(`status ${answer.status}${name}${count} for ${answer.request}`)
  }),
)
