import type { Contract } from '../../contract/openapi/contract.ts'
import { jsonOf } from '../../contract/openapi/json.ts'
import { reasonFor } from '../../world/traffic/connection-error.ts'
import { INVALID_KEY, type ServiceRequest } from './service-request.ts'
import type { ServiceResponse } from './service-response.ts'
import { httpDateOf } from './service-response.ts'

export type FetchFunction = (input: string, init?: RequestInit) => Promise<Response>

export interface ServiceOptions {
  /** Without a slash at the end. */
  readonly baseUrl: string
  readonly key: string
  readonly contract: Contract
  readonly fetch: FetchFunction
}

/** Sends one request, without retries or redirects. Rejects with a NoResponse. */
export type Send = (sent: ServiceRequest) => Promise<ServiceResponse>

/** The service could not be reached, or did not answer in time; the message says why. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse'
  readonly request: string
  constructor(request: string, reason: string) {
    super(reason)
    this.request = request
  }
}

/** How long one response may take, in milliseconds. */
const TIMEOUT = 30_000

export function createService({ baseUrl, key, contract, fetch }: ServiceOptions): Send {
  return async (sent) => {
    const { method, path } = targetOf(contract, sent)
    const request = `${method} ${path}${NOTES[sent.key ?? 'given']}`
    try {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers: headersOf(sent, key, method),
        ...(sent.body !== undefined && { body: sent.body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT),
      })
      return answerOf(sent, request, key, response, await response.text())
    } catch (error) {
      throw new NoResponse(request, reasonOf(error))
    }
  }
}

const NOTES = { given: '', missing: ' (no key)', invalid: ' (an invalid key)' } as const

function targetOf(
  contract: Contract,
  { operationId, petId, query }: ServiceRequest,
): { method: string; path: string } {
  const operation = contract.operations.get(operationId)
  if (!operation) throw new Error(`The contract has no operation ${operationId}`)
  const path = operation.path.replace('{petId}', encodeURIComponent(petId ?? ''))
  return { method: operation.method, path: query ? `${path}?${query}` : path }
}

function headersOf(sent: ServiceRequest, key: string, method: string): Record<string, string> {
  const given = sent.key === 'invalid' ? INVALID_KEY : key
  return {
    accept: 'application/json',
    ...(sent.key !== 'missing' && { authorization: `Bearer ${given}` }),
    ...(method === 'POST' && { 'content-type': 'application/json' }),
  }
}

function answerOf(
  sent: ServiceRequest,
  request: string,
  secret: string,
  response: Response,
  body: string,
): ServiceResponse {
  const { status } = response
  const headers = [...response.headers].flat()
  const at = httpDateOf(response.headers.get('date') ?? undefined) ?? Date.now()
  return { sent, request, status, headers, body, json: jsonOf(body), at, secret }
}

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } }
  if (name === 'TimeoutError') return `no answer within ${TIMEOUT / 1000} s`
  return reasonFor(cause?.code, cause?.message ?? message)
}
