import { Contract } from '../contract/contract.ts'
import type { OpenApiDocument } from '../contract/document.ts'
import { Problem, type ProblemCode } from '../domain/problem.ts'
import { boundInt64 } from './int64.ts'
import { judgeRequest } from './judge-request.ts'
import type { JudgedRequest, Violation } from './judged.ts'
import { openPrism } from './prism.ts'

/** Refuses a request that its contract does not allow, with everything that is wrong about it. */
export type Check = (request: JudgedRequest) => void

/** A check against an OpenAPI 3.1 document. Credentials are not its business: the caller is known already. */
export async function createCheck(document: OpenApiDocument): Promise<Check> {
  const prism = await openPrism(document, boundInt64)
  const contract = new Contract(document, {})
  return (request) => {
    const found = judgeRequest(prism, contract, request).filter(({ path }) => path !== 'Authorization')
    if (found.length > 0) throw new Problem(codeOf(found), found.map(({ message }) => message).join('; '))
  }
}

function codeOf(found: readonly Violation[]): ProblemCode {
  if (found.some(({ where, path }) => where === 'header' && path === 'Content-Type')) {
    return 'unsupported_media_type'
  }
  return found.some(({ where }) => where === 'body') ? 'invalid_body' : 'invalid_parameter'
}
