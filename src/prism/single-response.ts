import { ApiError } from '../domain/api-error.ts'
import { declaredCodes, declaredContent, declaredResponse } from './declared.ts'
import { operationNamed, type Prism, type PrismOperation, type PrismResponse } from './prism.ts'

/**
 * An operation that is left with the one answer that is wished for, so that Prism finds nothing else to fall back
 * on. It lacks what makes Prism add the old `Deprecation: true`, callbacks, which Prism would call, and header
 * fields that it would have to invent without need. Refuses what is not declared, naming what is.
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

/** `default` stands for errors, and for success only where nothing else does. */
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
