import { declaredCodes, declaredResponse } from './declared.ts'
import type { ContractViolation, ValidatedResponse } from './message.ts'
import { readFields } from './parameters.ts'
import { NO_BODY, parsePrismBody } from './parse-body.ts'
import type { Prism, PrismOperation } from './prism.ts'
import { violationsOf } from './violations.ts'

/** The violations of a response of an operation; the body is ignored for HEAD. */
export function validateResponse(
  { components }: Prism,
  operation: PrismOperation,
  isHead: boolean,
  { status, headers, body }: ValidatedResponse,
): ContractViolation[] {
  const declared = declaredResponse(operation, status)
  if (!declared) {
    const message = `Response status ${status} is not declared; declared: ${declaredCodes(operation)}`
    return [{ where: 'status', message }]
  }
  const read = isHead ? NO_BODY : parsePrismBody('Response', declared.contents ?? [], headers, body)
  const verdict = components.validateOutput({
    resource: { ...operation, responses: [{ ...declared, contents: read.contents }] },
    element: {
      statusCode: status,
      headers: readFields(headers, declared.headers, read.mediaType),
      body: read.value,
    },
  })
  return [
    ...read.violations,
    ...violationsOf(
      verdict,
      declared.headers?.map(({ name }) => name),
    ),
  ]
}
