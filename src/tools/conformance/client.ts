import type { Contract } from '../../contract/openapi/contract.ts'
import { jsonOf } from '../../contract/openapi/json.ts'
import { reasonFor } from '../../world/traffic/connection-error.ts'
import { httpDateOf, type ServiceRequest, type ServiceResponse } from './exchange.ts'

export type FetchFunction = (input: string, init?: RequestInit) => Promise<Response>

export interface ServiceOptions {
  /** Without a trailing slash. */
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

/** The time limit of one response, in milliseconds. */
const TIMEOUT = 30_000

const NOTES = { given: '', missing: ' (no key)', invalid: ' (an invalid key)' } as const

/** A key that was never issued. */
const INVALID_KEY = 'a-key-that-nobody-has-issued'

export function createService({ baseUrl, key, contract, fetch }: ServiceOptions): Send {
  return async (sent) => {
    const [method = '', target = ''] = sent.send.split(' ')
    const request = `${sent.send}${NOTES[sent.key ?? 'given']}`
    const { operation } = contract.resolve(method, target.split('?')[0] as string)
    try {
      const response = await fetch(`${baseUrl}${target}`, {
        method,
        headers: {
          accept: 'application/json',
          ...(sent.key !== 'missing' && { authorization: `Bearer ${sent.key ? INVALID_KEY : key}` }),
          ...(method === 'POST' && { 'content-type': 'application/json' }),
        },
        ...(sent.body !== undefined && { body: sent.body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT),
      })
      const body = await response.text()
      return {
        sent,
        operationId: operation?.id,
        request,
        status: response.status,
        headers: [...response.headers].flat(),
        body,
        json: jsonOf(body),
        at: httpDateOf(response.headers.get('date') ?? undefined) ?? Date.now(),
        secret: key,
      }
    } catch (error) {
      throw new NoResponse(request, reasonOf(error))
    }
  }
}

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } }
  if (name === 'TimeoutError') return `no answer within ${TIMEOUT / 1000} s`
  return reasonFor(cause?.code, cause?.message ?? message)
}
