import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One thing each that a service may get wrong. */
export const DEFECTS = [
  'id-as-string',
  'category-as-float',
  'status-as-number',
  'status-unknown-value',
  'envelope',
  'no-remaining',
  'no-limits-on-errors',
  'reset-in-milliseconds',
  'reset-as-delay',
  'remaining-stands',
  'remaining-by-two',
  'remaining-off-by-one',
  'limit-off-by-one',
  'limit-below-promise',
  'limit-zero',
  'no-429',
  'no-retry-after',
  'retry-after-too-short',
  'remaining-on-429',
  'html-429',
  'missing-key-200',
  'missing-key-200-on-post',
  'invalid-key-403',
  'html-errors',
  'error-without-code',
  'error-status-as-string',
  'error-status-differs',
  'error-with-more',
  'limit-ignored',
  'limit-one-too-many',
  'limit-100-refused',
  'status-filter-ignored',
  'limit-before-filter',
  'post-200',
  'client-id-taken',
  'not-stored',
  'id-again',
  'not-listed',
  'unknown-pet-500',
  'unknown-pet-200',
  'digits-lost',
  'unknown-status-accepted',
  'refused-but-stored',
  'no-body-500',
  'missing-name-422',
  'beyond-int64-accepted',
  'status-required',
  'page-size-10',
  'text-plain',
  'problem-json',
  'sunset-wrong',
  'deprecation-true',
  'all-deprecated',
  'get-gives-array',
  'get-gives-another',
] as const
export type Defect = (typeof DEFECTS)[number]

export interface FaultyOptions {
  readonly defect?: Defect
  readonly perMinute?: number
  /** What the service's clock is ahead of this machine's, in milliseconds. */
  readonly ahead?: number
  /** How many animals it begins with. */
  readonly pets?: number
}

export interface FaultyService {
  readonly baseUrl: string
  /** How many requests came. */
  readonly requests: () => number
  /** Turns its clock on. */
  skip(milliseconds: number): void
  /** Answers this instead, while it is set. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  close(): Promise<void>
}

interface StoredPet {
  /** The digits. */
  id: string
  name: string
  /** The digits, as they were sent. */
  categoryId: string
  status: string | undefined
}

interface Reply {
  status: number
  body: string
  headers?: Record<string, string>
}

export const KEY = 'a-key-of-the-test'

const STATUSES = ['available', 'available', 'sold', 'pending', undefined]

/**
 * An Animal Store that shares no code with the sandbox: it keeps the interface, but for one defect. Its replies
 * are written as text, so that nothing checks or rounds what it sends.
 */
export async function startFaultyService(options: FaultyOptions = {}): Promise<FaultyService> {
  const { defect, perMinute = 300, ahead = 0, pets: count = 12 } = options
  const has = (candidate: Defect) => candidate === defect
  const pets = Array.from(
    { length: count },
    (_, i): StoredPet => ({
      id: String(i + 1),
      name: `Pet ${i + 1}`,
      categoryId: String((i % 3) + 1),
      status: STATUSES[i % STATUSES.length],
    }),
  )
  let offset = ahead
  let requests = 0
  const now = () => Date.now() + offset
  const window = { ends: 0, used: 0 }

  const service: FaultyService = {
    baseUrl: '',
    requests: () => requests,
    skip: (milliseconds) => {
      offset += milliseconds
    },
    instead: undefined,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }

  const server = createServer(async (request, response) => {
    requests += 1
    const body = await readAll(request)
    if (service.instead?.(request, response)) return
    send(response, answer(request, body))
  })

  function answer(request: IncomingMessage, body: string): Reply {
    const { method = 'GET', url = '/' } = request
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const refused = refuseKey(request) ?? charge()
    if (refused) return refused
    if (pathname === '/v1/pets' && method === 'GET') return list(searchParams)
    if (pathname === '/v1/pets' && method === 'POST') return create(body)
    const id = /^\/v1\/pets\/(.+)$/.exec(pathname)?.[1]
    if (id !== undefined && method === 'GET') return get(id)
    return error(404, 'no such path')
  }

  function refuseKey({ method, headers: { authorization } }: IncomingMessage): Reply | undefined {
    if (authorization === `Bearer ${KEY}`) return undefined
    if (authorization === undefined && has('missing-key-200') && method === 'GET') return undefined
    if (authorization === undefined && has('missing-key-200-on-post') && method === 'POST') return undefined
    return error(authorization !== undefined && has('invalid-key-403') ? 403 : 401, 'who are you?')
  }

  function charge(): Reply | undefined {
    if (now() >= window.ends) Object.assign(window, { ends: now() + 60_000, used: 0 })
    const allowed = perMinute + (has('limit-off-by-one') ? 1 : 0) - (has('limit-below-promise') ? 5 : 0)
    if (window.used >= allowed && !has('no-429')) {
      const wait = has('retry-after-too-short') ? 1 : Math.max(1, Math.ceil((window.ends - now()) / 1000))
      const headers: Record<string, string> = has('no-retry-after') ? {} : { 'Retry-After': String(wait) }
      const reply = error(429, 'too many')
      return { ...reply, headers: { ...reply.headers, ...headers } }
    }
    window.used += 1
    return undefined
  }

  function limits(status: number): Record<string, string> {
    if (status >= 400 && has('no-limits-on-errors')) return {}
    const used = window.used * (has('remaining-by-two') ? 2 : 1) - (has('remaining-off-by-one') ? 1 : 0)
    let remaining = has('remaining-stands') ? perMinute - 1 : Math.max(0, perMinute - used)
    if (status === 429 && has('remaining-on-429')) remaining = 5
    const reset = Math.ceil(Math.max(window.ends, now() + 1000) / 1000)
    return {
      'X-RateLimit-Limit': has('limit-zero') ? '0' : String(perMinute),
      ...(!has('no-remaining') && { 'X-RateLimit-Remaining': String(remaining) }),
      'X-RateLimit-Reset': String(
        has('reset-in-milliseconds') ? reset * 1000 : has('reset-as-delay') ? 60 : reset,
      ),
    }
  }

  function list(query: URLSearchParams): Reply {
    const text = query.get('limit')
    const limit = Number(text ?? (has('page-size-10') ? 10 : 20))
    const highest = has('limit-100-refused') ? 99 : 100
    if (!/^\d*$/.test(text ?? '') || limit < 1 || limit > highest) return error(400, 'bad limit')
    const status = query.get('status')
    if (status !== null && !['available', 'pending', 'sold'].includes(status)) return error(400, 'bad status')
    const most = has('limit-ignored') ? 20 : limit + (has('limit-one-too-many') ? 1 : 0)
    const isWanted = (pet: StoredPet) =>
      status === null || has('status-filter-ignored') || pet.status === status
    const listed = has('not-listed') ? pets.slice(0, count) : pets
    const page = has('limit-before-filter')
      ? listed.slice(0, most).filter(isWanted)
      : listed.filter(isWanted).slice(0, most)
    const array = `[${page.map(petText).join(',')}]`
    return { status: 200, body: has('envelope') ? `{"data":${array}}` : array }
  }

  function create(body: string): Reply {
    const refusal = whyInvalid(body)
    if (refusal) {
      if (has('refused-but-stored')) store(body)
      return refusal
    }
    const pet = store(body)
    if (has('not-stored')) pets.pop()
    return { status: has('post-200') ? 200 : 201, body: petText(pet) }
  }

  function store(body: string): StoredPet {
    const { name, status } = (tryParse(body) ?? {}) as Partial<StoredPet>
    const next = has('id-again') ? '1' : String(BigInt(pets.at(-1)?.id ?? 0) + 1n)
    const sent = has('client-id-taken') ? /"id":(\d+)/.exec(body)?.[1] : undefined
    const pet = {
      id: sent ?? next,
      name: String(name),
      categoryId: /"categoryId":([-\d]+)/.exec(body)?.[1] ?? '0',
      status,
    }
    pets.push(pet)
    return pet
  }

  function whyInvalid(body: string): Reply | undefined {
    if (body === '' && has('no-body-500')) return error(500, 'oops')
    const value = tryParse(body)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return error(400, 'no object')
    const { name, categoryId, status } = value as Record<string, unknown>
    if (name === undefined && has('missing-name-422')) return error(422, 'no name')
    const digits = /"categoryId":([-\d]+)/.exec(body)?.[1] ?? ''
    const isInt64 = Number.isInteger(categoryId) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits)
    const isKnown = status === undefined || ['available', 'pending', 'sold'].includes(String(status))
    const isStatusRight =
      (isKnown && status !== null) || (has('unknown-status-accepted') && status === 'lost')
    const isCategoryRight = isInt64 || (has('beyond-int64-accepted') && Number.isInteger(categoryId))
    const isMissing = has('status-required') && status === undefined
    const isRight = typeof name === 'string' && isCategoryRight && isStatusRight && !isMissing
    return isRight ? undefined : error(400, 'bad values')
  }

  function get(id: string): Reply {
    const marks = {
      Deprecation: has('deprecation-true') ? 'true' : '@1764892800',
      Sunset: has('sunset-wrong') ? 'Wed, 05 Dec 2029 00:00:00 GMT' : 'Thu, 05 Dec 2030 00:00:00 GMT',
    }
    const wanted = has('get-gives-another') ? '2' : id
    const found = pets.find((candidate) => candidate.id === wanted)
    const pet = has('unknown-pet-200') ? (found ?? pets[0]) : found
    if (!pet) return { ...error(has('unknown-pet-500') ? 500 : 404, 'no such pet'), headers: marks }
    const text = petText(pet)
    return { status: 200, body: has('get-gives-array') ? `[${text}]` : text, headers: marks }
  }

  function petText({ id, name, categoryId, status }: StoredPet): string {
    const digits = has('digits-lost') ? String(Number(categoryId)) : categoryId
    const members = [
      `"id":${has('id-as-string') ? `"${id}"` : id}`,
      `"name":${JSON.stringify(name)}`,
      `"categoryId":${has('category-as-float') ? `${digits}.5` : digits}`,
    ]
    if (status !== undefined) {
      const value = has('status-unknown-value') && status === 'sold' ? 'gone' : status
      members.push(`"status":${has('status-as-number') ? 1 : JSON.stringify(value)}`)
    }
    return `{${members.join(',')}}`
  }

  function error(status: number, message: string): Reply {
    if (has('html-errors') || (status === 429 && has('html-429'))) {
      return { status, body: `<h1>${message}</h1>`, headers: { 'Content-Type': 'text/html' } }
    }
    const told = has('error-status-differs') ? 400 + ((status + 1) % 100) : status
    const body = {
      ...(!has('error-without-code') && { code: `e${status}` }),
      message,
      status: has('error-status-as-string') ? String(told) : told,
      ...(has('error-with-more') && { details: [] }),
    }
    return { status, body: JSON.stringify(body) }
  }

  function send(response: ServerResponse, { status, body, headers }: Reply): void {
    const isJson = !has('text-plain') && !(has('problem-json') && status >= 400)
    const type = isJson ? 'application/json' : has('text-plain') ? 'text/plain' : 'application/problem+json'
    response.writeHead(status, {
      Date: new Date(now()).toUTCString(),
      'Content-Type': type,
      ...limits(status),
      ...(has('all-deprecated') && { Deprecation: '@1764892800' }),
      ...headers,
    })
    response.end(body)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(service, { baseUrl: `http://127.0.0.1:${port}/v1` })
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
