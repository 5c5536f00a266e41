import { NO_BODY, readBody } from './body.ts'
import { declaredCodes, declaredResponse } from './declared.ts'
import type { JudgedResponse, Violation } from './judged.ts'
import { readFields } from './parameters.ts'
import type { Prism, PrismOperation } from './prism.ts'
import { violationsOf } from './verdict.ts'

/** What is wrong with a response of an operation; the body of an answer to HEAD stays out of it. */
export function judgeResponse(
  { organs }: Prism,
  operation: PrismOperation,
  isHead: boolean,
  { status, headers, body }: JudgedResponse,
): Violation[] {
  const declared = declaredResponse(operation, status)
  if (!declared) {
    const message = `Response status ${status} is not declared; declared: ${declaredCodes(operation)}`
    return [{ where: 'status', message }]
  }
  const read = isHead ? NO_BODY : readBody('Response', declared.contents ?? [], headers, body)
  const verdict = organs.validateOutput({
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
