import { ApiError } from '../world/api-error.ts'
import { declaredCodes, declaredContent, declaredResponse } from './declared.ts'
import { operationNamed, type Prism, type PrismOperation, type PrismResponse } from './prism.ts'

/**
 * A copy of an operation that declares the requested response only, so that Prism does not fall back to another.
 * It omits the deprecation (Prism would add the obsolete `Deprecation: true`), callbacks (Prism would call them), and
 * optional header fields (Prism would invent values). Throws an ApiError that lists the declared ones.
 */
export function withSingleResponse(
  prism: Prism,
  operationId: string,
  code: number | undefined,
  example?: string,
): PrismOperation {
  const { callbacks: _, deprecated: __, ...operation } = operationNamed(prism, operationId)
  const [status, response] = chooseResponse(operation, code)
  const content = declaredContent(response.contents ?? [], 'application/json') ?? response.contents?.[0]
  const examples = content?.examples?.map(({ key }) => key) ?? []
  if (example !== undefined && !examples.includes(example)) {
    const known = examples.length > 0 ? `it has: ${examples.join(', ')}` : 'it has none'
    throw new ApiError('invalid_request', `${operationId} ${status} has no example ${example}; ${known}.`)
  }
  const headers = response.headers?.filter((header) => header.required || header.examples?.length)
  const contents = content ? [content] : []
  return { ...operation, responses: [{ ...response, code: String(status), headers, contents }] }
}

/** `default` is used for errors, and for success only if no success status is declared. */
function chooseResponse(operation: PrismOperation, code: number | undefined): [number, PrismResponse] {
  const successes = operation.responses.map((response) => response.code).filter((each) => /^2/.test(each))
  const [lowest = '200'] = successes.sort()
  const status = code ?? Number(lowest.replaceAll(/X/gi, '0'))
  const response = declaredResponse(operation, status)
  if (response && (response.code !== 'default' || status >= 400 || successes.length === 0)) {
    return [status, response]
  }
  const declared = declaredCodes(operation)
  throw new ApiError('invalid_request', `${operation.iid} declares no ${status}; it declares: ${declared}.`)
}
