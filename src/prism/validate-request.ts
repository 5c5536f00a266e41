import type { Contract } from '../contract/openapi/contract.ts'
import type { ContractViolation, ValidatedRequest } from './message.ts'
import { fillPath, parsePrismQuery, readFields } from './parameters.ts'
import { NO_BODY, parsePrismBody } from './parse-body.ts'
import type { Prism, PrismOperation } from './prism.ts'
import { violationsOf } from './violations.ts'

/** The violations of a request. */
export function validateRequest(
  prism: Prism,
  contract: Contract,
  request: ValidatedRequest,
): ContractViolation[] {
  const { method, path } = request
  if (method === 'OPTIONS') return []
  const { route, operation: routed, params, malformed } = contract.resolve(method, path)
  if (malformed) return [{ where: 'path', message: `Request path ${path} cannot be percent-decoded` }]
  const operation = routed && prism.operations.get(routed.id)
  if (operation) return validateOperation(prism, operation, params, request)
  const allowed = route ? `; allowed: ${route.allow}` : ''
  return [{ where: 'path', message: `${method} ${path} is not in the interface${allowed}` }]
}

function validateOperation(
  { components }: Prism,
  operation: PrismOperation,
  params: Readonly<Record<string, string>>,
  { query, headers, body }: ValidatedRequest,
): ContractViolation[] {
  const declared = operation.request ?? {}
  const isEmpty = body === ''
  const read = isEmpty ? NO_BODY : parsePrismBody('Request', declared.body?.contents ?? [], headers, body)
  const isValidated = isEmpty || read.contents.length > 0
  const subject = {
    resource: {
      ...operation,
      request: {
        ...declared,
        body: isValidated && declared.body ? { ...declared.body, contents: read.contents } : undefined,
      },
    },
    element: {
      method: operation.method as 'get',
      url: {
        path: fillPath(operation.path, params, declared.path),
        query: parsePrismQuery(query, declared.query),
      },
      headers: readFields(headers, declared.headers, read.mediaType),
      body: read.value,
    },
  }
  const { path = [], query: parameters = [], headers: fields = [] } = declared
  const names = [...path, ...parameters, ...fields].map(({ name }) => name)
  const hasCredentials = components.validateSecurity(subject)._tag === 'Right'
  return [
    ...(hasCredentials ? [] : [MISSING_CREDENTIALS]),
    ...read.violations,
    ...violationsOf(components.validateInput(subject), names),
  ]
}

const MISSING_CREDENTIALS: ContractViolation = {
  where: 'header',
  path: 'Authorization',
  message: 'Request header Authorization does not carry the credentials that the operation needs',
}
