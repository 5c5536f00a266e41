import type { AnySchemaObject } from 'ajv'
import { Contract } from '../contract/openapi/contract.ts'
import type { OpenApiDocument } from '../contract/openapi/document.ts'
import { queryParameters } from '../contract/openapi/read-request.ts'
import { errorMessage } from '../text/error.ts'
import { ApiError } from '../world/api-error.ts'
import { boundInt64 } from './int64.ts'
import {
  declaredCodes,
  declaredResponse,
  openPrism,
  operationNamed,
  type Prism,
  type PrismOperation,
} from './prism.ts'
import { fillPath, NO_BODY, parsePrismBody, readFields } from './read-message.ts'
import { type ContractViolation, violationsOf } from './violations.ts'

export interface ValidatedResponse {
  readonly status: number
  /** Flat: name, value, … */
  readonly headers: readonly string[]
  /** The complete body; empty if there is none. */
  readonly body: string
}

export interface ValidatedRequest extends Omit<ValidatedResponse, 'status'> {
  readonly method: string
  /** As it was sent, relative to the server: `/pets/1`. */
  readonly path: string
  /** Without the question mark; empty if there is none. */
  readonly query: string
}

/** Validates requests and responses against a contract. An empty list means valid. */
export type ContractValidator = Awaited<ReturnType<typeof createContractValidator>>

/**
 * A validator for an OpenAPI 3.1 document: Prism, and the rules that Prism does not check. Compiled schemas are
 * cached. Rejects a document with a schema that does not compile.
 */
export async function createContractValidator(document: OpenApiDocument) {
  const prism = await openPrism(document, boundInt64)
  await checkSchemas(prism)
  const contract = new Contract(document, {})
  return {
    /**
     * The violations by path, credentials and body; query and header fields are those of `readQuery` and
     * `headerViolations`. A path or method that the contract does not declare is a violation, except OPTIONS.
     */
    validateRequest: (request: ValidatedRequest) => validateRequest(prism, contract, request),
    /**
     * `of` is the request, or the id of its operation. The response to a request that the contract does not declare is
     * not validated. Throws for an unknown operation id.
     */
    validateResponse(
      of: Pick<ValidatedRequest, 'method' | 'path'> | string,
      response: ValidatedResponse,
    ): ContractViolation[] {
      const { method, id } =
        typeof of === 'string'
          ? { method: 'GET', id: of }
          : { method: of.method, id: contract.resolve(of.method, of.path).operation?.id }
      if (id === undefined) return []
      return validateResponse(prism, operationNamed(prism, id), method === 'HEAD', response)
    },
  }
}

export type RequestValidator = Awaited<ReturnType<typeof createRequestValidator>>

/**
 * A function that finds the violations by the path and the body of a request of an OpenAPI 3.1 document. Credentials
 * are checked before.
 */
export async function createRequestValidator(document: OpenApiDocument) {
  const prism = await openPrism(document, boundInt64)
  const contract = new Contract(document, {})
  return (request: ValidatedRequest): ContractViolation[] =>
    validateRequest(prism, contract, request).filter(({ path }) => path !== 'Authorization')
}

/** The violations of a request. */
function validateRequest(prism: Prism, contract: Contract, request: ValidatedRequest): ContractViolation[] {
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
  const sent = readFields(headers, [], read.mediaType)
  const { 'content-length': _, ...withoutLength } = sent
  const url = {
    path: fillPath(operation.path, params, declared.path),
    query: Object.fromEntries(queryParameters(query)),
  }
  const validated = isValidated && declared.body ? { ...declared.body, contents: read.contents } : undefined
  const subject = {
    resource: { ...operation, request: { path: declared.path, body: validated } },
    element: {
      method: operation.method as 'get',
      url,
      // With Content-Length, Prism would report the content of a refused body as undeclared.
      headers: read.violations.length > 0 ? withoutLength : sent,
      body: read.value,
    },
  }
  const names = declared.path?.map(({ name }) => name)
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

/** The violations of a response of an operation; the body is ignored for HEAD. */
function validateResponse(
  { components }: Prism,
  operation: PrismOperation,
  isHead: boolean,
  { status, headers, body }: ValidatedResponse,
): ContractViolation[] {
  const declared = declaredResponse(operation, status)
  if (!declared) {
    const message = `Response status ${status} is not declared; declared: ${declaredCodes(operation).join(', ')}`
    return [{ where: 'status', message }]
  }
  const read = isHead ? NO_BODY : parsePrismBody('Response', declared.contents ?? [], headers, body)
  const fields = readFields(headers, declared.headers, read.mediaType)
  const verdict = components.validateOutput({
    resource: { ...operation, responses: [{ ...declared, contents: read.contents }] },
    element: { statusCode: status, headers: fields, body: read.value },
  })
  const names = declared.headers?.map(({ name }) => name)
  return [...read.violations, ...violationsOf(verdict, names)]
}

/** Rejects a schema that does not compile: Prism would report nothing and accept every value. */
async function checkSchemas({ operations }: Prism): Promise<void> {
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })
  for (const [id, operation] of operations) {
    const { __bundled__ } = operation as { __bundled__?: unknown }
    for (const schema of new Set(schemasOf(operation))) {
      try {
        ajv.compile({ ...schema, __bundled__ })
      } catch (error) {
        throw new ApiError('invalid_request', `A schema of ${id} is invalid: ${errorMessage(error)}.`)
      }
    }
  }
}

function schemasOf({ request = {}, responses }: PrismOperation): AnySchemaObject[] {
  const { path = [], query = [], headers = [], body } = request
  const parts = [
    ...path,
    ...query,
    ...headers,
    ...(body?.contents ?? []),
    ...responses.flatMap((response) => [...(response.headers ?? []), ...(response.contents ?? [])]),
  ]
  return parts.flatMap(({ schema }) => (schema === undefined ? [] : [schema]))
}
