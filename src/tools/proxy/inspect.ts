import type { Call } from '../../api/call.ts'
import type { Inspection } from '../../api/relay.ts'
import { restOf } from '../../api/resolve.ts'
import type { ContractValidator } from '../../prism/validator.ts'
import type { Reply } from '../../world/traffic/message.ts'
import { decodeBody } from './decode.ts'
import { listViolations } from './listed-pets.ts'

/** The interface names it without a description, so it cannot be validated. */
const UNDESCRIBED = 'listOrders'

/** Validates a copy of a request and its reply: what passes is never changed. */
export async function inspect(validator: ContractValidator, call: Call, reply: Reply): Promise<Inspection> {
  const { request, operation, inside } = call
  const sent = await readable('Request', request.headers, request.body)
  const came = await readable('Response', reply.headers, reply.body)
  if (!inside || operation?.id === UNDESCRIBED) return { body: came.body, violations: [] }
  const { method, headers } = request
  const [path = '', query = ''] = restOf(call).split(/\?(.*)/s)
  const asked = { method, path, query, headers, body: sent.body }
  const { status } = reply
  const found = [
    ...(sent.unreadable ? [] : validator.validateRequest(asked)),
    ...(came.unreadable
      ? []
      : validator.validateResponse(asked, { status, headers: reply.headers, body: came.body })),
  ]
  return {
    body: came.body,
    violations: [
      sent.unreadable,
      came.unreadable,
      ...found.map(({ message }) => message),
      ...(operation ? listViolations(operation, query, status, came.body) : []),
    ].filter((text) => text !== undefined),
  }
}

async function readable(
  whose: string,
  headers: readonly string[],
  body: string | Uint8Array | undefined,
): Promise<{ readonly body: string; readonly unreadable?: string }> {
  try {
    return { body: await decodeBody(headers, body) }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return { body: '', unreadable: `${whose} body cannot be read: ${error.message}` }
  }
}
