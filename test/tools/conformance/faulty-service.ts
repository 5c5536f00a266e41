import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Defect, Has } from './defects.ts'
import { FaultyLimits } from './faulty-limits.ts'
import { FaultyStore, type Refuse, type Reply } from './faulty-store.ts'

export interface FaultyOptions {
  readonly defect?: Defect | undefined
  /** The number of requests in a window, whose length is `seconds`. */
  readonly limit?: number
  readonly seconds?: number
  /** The number of animals at the start. */
  readonly pets?: number
  /** How far its clock is ahead of this machine, in milliseconds. */
  readonly ahead?: number
  /** Whether Deprecation and Sunset are omitted. */
  readonly unmarked?: boolean
  /** May return a reply that replaces the normal one; `number` counts requests from 1. */
  readonly instead?: (request: IncomingMessage, number: number) => Reply | undefined
}

export interface FaultyService extends AsyncDisposable {
  readonly baseUrl: string
  /** The received requests, such as `GET /v1/pets`. */
  readonly requests: readonly string[]
  /** Advances its clock. */
  skip(milliseconds: number): void
}

export const KEY = 'a-key-of-the-test'

/** An Animal Store that shares no code with the sandbox. It follows the interface, except for one defect. */
export async function startFaultyService(options: FaultyOptions = {}): Promise<FaultyService> {
  const has: Has = (defect) => defect === options.defect
  const refuse = refusal(has)
  const store = new FaultyStore(options.pets ?? 12, has, refuse)
  const limits = new FaultyLimits(options.limit ?? 90, options.seconds ?? 60, has)
  const requests: string[] = []
  let ahead = options.ahead ?? 0
  let isBanned = false
  const now = () => Date.now() + ahead

  function answer(request: IncomingMessage, body: string): Reply {
    const { method = '', url = '' } = request
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const refused = refuseKey(request, has, refuse)
    if (refused) return refused
    const tooMany = has('503-beyond-limit') ? 503 : isBanned ? 403 : 429
    const isFree = has('lists-limited-only') && pathname !== '/v1/pets'
    if (isBanned || (!limits.charge(now()) && !isFree)) {
      isBanned = has('403-after-429')
      return { ...refuse(tooMany, 'too many'), ...headersOf(limits.retryAfter(now())) }
    }
    if (pathname === '/v1/pets' && method === 'GET') return store.list(searchParams)
    if (pathname === '/v1/pets' && method === 'POST') return store.create(body)
    const id = /^\/v1\/pets\/(.+)$/.exec(pathname)?.[1]
    if (id === undefined || method !== 'GET') return refuse(404, 'no such path')
    return { ...store.get(id), ...headersOf(options.unmarked ? {} : marks(has)) }
  }

  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    requests.push(`${request.method} ${request.url}`)
    const reply = options.instead?.(request, requests.length) ?? answer(request, body)
    response.writeHead(reply.status, {
      Date: new Date(now()).toUTCString(),
      'Content-Type': mediaType(reply.status, has),
      ...limits.headers(reply.status, now()),
      ...(has('all-deprecated') && marks(has)),
      ...reply.headers,
    })
    response.end(reply.body, has('latin-1') ? 'latin1' : 'utf8')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    skip: (milliseconds) => {
      ahead += milliseconds
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const headersOf = (headers: Readonly<Record<string, string>>) => ({ headers })

function refuseKey({ method, headers }: IncomingMessage, has: Has, refuse: Refuse): Reply | undefined {
  const { authorization } = headers
  if (authorization === `Bearer ${KEY}`) return undefined
  const defect = method === 'POST' ? 'missing-key-201' : 'missing-key-200'
  if (authorization === undefined && has(defect)) return undefined
  return refuse(authorization !== undefined && has('invalid-key-403') ? 403 : 401, 'who are you?')
}

const marks = (has: Has): Readonly<Record<string, string>> => ({
  Deprecation: has('deprecation-true') ? 'true' : has('deprecation-empty') ? '' : '@1764892800',
  Sunset: has('sunset-wrong')
    ? 'Wed, 05 Dec 2029 00:00:00 GMT'
    : `${has('sunset-other-weekday') ? 'Fri' : 'Thu'}, 05 Dec 2030 00:00:00 GMT`,
})

const refusal =
  (has: Has): Refuse =>
  (status, message) => {
    if (has('html-errors') || (has('html-429') && status === 429)) {
      return { status, body: `<h1>${message}</h1>` }
    }
    const bodyStatus = has('error-status-differs') ? status + 1 : status
    const digits = has('error-status-beyond-2^53') ? '9007199254740993' : String(bodyStatus)
    const error = {
      ...(!has('error-without-code') && { code: `e${status}` }),
      message,
      status: has('error-status-as-string') ? String(bodyStatus) : bodyStatus,
      ...(has('error-with-more') && { details: [] }),
    }
    return { status, body: JSON.stringify(error).replace(`"status":${bodyStatus}`, `"status":${digits}`) }
  }

function mediaType(status: number, has: Has): string {
  if (has('text-plain')) return 'text/plain'
  if (has('charset-latin-1')) return 'application/json; charset=ISO-8859-1'
  if (has('html-errors') && status >= 400) return 'text/html'
  if (has('html-429') && status === 429) return 'text/html'
  return has('problem-json') && status >= 400 ? 'application/problem+json' : 'application/json'
}
