import type { Check } from '../check.ts'
import { quoted, shownField } from '../quote.ts'
import { getPet, listPets, type ServiceRequest } from '../service-request.ts'
import { isRecord } from '../values.ts'
import { described, isError } from './bodies.ts'

/** Checks of points that the interface leaves open: each reports an observation and never fails. */
export const UNSPECIFIED: readonly Check[] = [
  observation('limit=0', '7', 'limit=0, out of range', listPets('limit=0')),
  observation('limit=101', '7', 'limit=101, out of range', listPets('limit=101')),
  observation('limit=abc', '7', 'limit=abc, no integer', listPets('limit=abc')),
  observation('status=lost', '7', 'status=lost, no PetStatus', listPets('status=lost')),
  observation('petId=abc', '4.3', 'a petId that is not an integer', getPet('abc')),
  observation('orders', '4.4', 'GET /store/orders, which is named only', { operationId: 'listOrders' }),
]

/** The same for all responses. They send nothing; they run after the others. */
export const UNSPECIFIED_AFTER: readonly Check[] = [
  {
    id: 'codes',
    section: '7',
    title: 'the values of code',
    observes: true,
    run(context) {
      const codes = new Set<string>()
      for (const answer of described(context).filter(isError)) {
        const { code } = (isRecord(answer.json) ? answer.json : {}) as { code?: unknown }
        if (typeof code === 'string') codes.add(`${answer.status} ${quoted(code, answer)}`)
      }
      context.observe([...codes].sort().join(', ') || 'none')
    },
  },
  {
    id: 'challenge',
    section: '5',
    title: 'WWW-Authenticate on 401 (RFC 9110 requires it)',
    observes: true,
    run(context) {
      const refused = described(context).filter(({ status }) => status === 401)
      if (refused.length === 0) context.skip('there was no 401')
      const values = new Set(refused.map((answer) => shownField(answer, 'WWW-Authenticate')))
      context.observe([...values].join('; '))
    },
  },
]

function observation(id: string, section: string, title: string, sent: ServiceRequest): Check {
  return {
    id,
    section,
    title,
    observes: true,
    async run(context) {
      const answer = await context.once(sent)
      const { code } = (isRecord(answer.json) ? answer.json : {}) as { code?: unknown }
      const name = typeof code === 'string' ? ` (${quoted(code, answer)})` : ''
      const count = Array.isArray(answer.json) ? ` with ${answer.json.length} elements` : ''
      context.observe(`status ${answer.status}${name}${count} for ${answer.request}`)
    },
  }
}
