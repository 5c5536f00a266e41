import { Contract } from '../contract/openapi/contract.ts'
import type { OpenApiDocument } from '../contract/openapi/document.ts'
import { ApiError, type ApiErrorCode } from '../world/api-error.ts'
import { boundInt64 } from './int64.ts'
import type { ContractViolation, ValidatedRequest } from './message.ts'
import { openPrism } from './prism.ts'
import { validateRequest } from './validate-request.ts'

/** Throws an ApiError with all violations of the contract by a request. */
export type RefuseInvalid = (request: ValidatedRequest) => void

/** Validates against an OpenAPI 3.1 document, except for credentials: the caller is authenticated before. */
export async function createRefuseInvalid(document: OpenApiDocument): Promise<RefuseInvalid> {
  const prism = await openPrism(document, boundInt64)
  const contract = new Contract(document, {})
  return (request) => {
    const found = validateRequest(prism, contract, request).filter(({ path }) => path !== 'Authorization')
    if (found.length > 0) throw new ApiError(codeOf(found), found.map(({ message }) => message).join('; '))
  }
}

function codeOf(found: readonly ContractViolation[]): ApiErrorCode {
  if (found.some(({ where, path }) => where === 'header' && path === 'Content-Type')) {
    return 'unsupported_media_type'
  }
  return found.some(({ where }) => where === 'body') ? 'invalid_body' : 'invalid_parameter'
}
