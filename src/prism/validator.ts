import { Contract } from '../contract/openapi/contract.ts'
import type { OpenApiDocument } from '../contract/openapi/document.ts'
import { checkSchemas } from './check-schemas.ts'
import { boundInt64 } from './int64.ts'
import type { ContractViolation, ValidatedRequest, ValidatedResponse } from './message.ts'
import { openPrism, operationNamed } from './prism.ts'
import { validateRequest } from './validate-request.ts'
import { validateResponse } from './validate-response.ts'

/** Validates requests and responses against a contract. An empty list means valid. */
export interface ContractValidator {
  /** A path or method that the contract does not declare is a violation, except OPTIONS. */
  validateRequest(request: ValidatedRequest): ContractViolation[]
  /**
   * `of` is the request, or the id of its operation. The response to a request that the contract does not declare is
   * not validated. Throws for an unknown operation id.
   */
  validateResponse(
    of: Pick<ValidatedRequest, 'method' | 'path'> | string,
    response: ValidatedResponse,
  ): ContractViolation[]
}

/**
 * A validator for an OpenAPI 3.1 document: Prism, and the rules that Prism does not check. Compiled schemas are
 * cached. Rejects a document with a schema that does not compile.
 */
export async function createContractValidator(document: OpenApiDocument): Promise<ContractValidator> {
  const prism = await openPrism(document, boundInt64)
  await checkSchemas(prism)
  const contract = new Contract(document, {})
  return {
    validateRequest: (request) => validateRequest(prism, contract, request),
    validateResponse(of, response) {
      const { method, id } =
        typeof of === 'string'
          ? { method: 'GET', id: of }
          : { method: of.method, id: contract.resolve(of.method, of.path).operation?.id }
      if (id === undefined) return []
      return validateResponse(prism, operationNamed(prism, id), method === 'HEAD', response)
    },
  }
}
