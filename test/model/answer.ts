import { httpDate, MINUTE, REMOVAL, SECOND, unix, wait } from './clock.ts'
import type { Fault } from './faults.ts'
import { credentialOf, planOf, UNLIMITED } from './keys.ts'
import type { Outcome } from './limits.ts'
import { type Body, bodyText, readNewPet, readPatch } from './new-pet.ts'
import { MAX_INT64, type Pet, type Pets, petText, STATUSES } from './pets.ts'
import type { Decisions } from './settings.ts'
import type { World, Worlds } from './world.ts'

export interface ApiRequest {
  readonly method: string
  readonly target: string
  readonly authorization?: string
  readonly prefer?: string
  readonly contentType?: string
  readonly body?: Body
}

/** The expected header fields: a value, one of several values, or null if the field must be missing. */
export type Expected = Readonly<Record<string, string | readonly string[] | null>>

export interface Answer {
  readonly status: number
  /** The code of an error; several if the interface leaves it open. */
  readonly code?: readonly string[]
  readonly message?: RegExp
  /** The complete text, if the interface specifies it. */
  readonly text?: string
  readonly headers: Expected
  /** Whether it was forced by Prefer or injected by a fault rule. */
  readonly isArtificial?: boolean
  /** The namespace in which X-Request-Id must be unique. */
  readonly world?: World
}

/** An answer that a wire fault lost. */
export type Lost = 'lost'

const REALM = 'Bearer realm="petstore-sandbox"'
const LINK =
  '</v1/pets>; rel="successor-version", </_sandbox/docs/deprecations#getPet>; rel="deprecation"; type="text/html", </_sandbox/docs/deprecations#getPet>; rel="sunset"; type="text/html"'

const CODES: Readonly<Record<number, readonly string[]>> = {
  400: ['invalid_request', 'invalid_body', 'invalid_parameter', 'invalid_json'],
  401: ['invalid_api_key', 'missing_api_key'],
  404: ['pet_not_found', 'route_not_found'],
  405: ['method_not_allowed'],
  408: ['request_timeout'],
  410: ['endpoint_removed'],
  413: ['body_too_large'],
  415: ['unsupported_media_type'],
  429: ['rate_limit_exceeded'],
  431: ['headers_too_large'],
  500: ['internal_error'],
  501: ['not_implemented'],
  503: ['service_unavailable'],
}

interface Route {
  /** The path, decoded once. */
  readonly path: string
  readonly query: string
  readonly isBadlyEncoded: boolean
  readonly operationId?: 'listPets' | 'createPet' | 'getPet' | Change
  readonly allow?: string
  readonly petId?: string
}

type Change = 'updatePet' | 'replacePet' | 'deletePet'
const CHANGES: Readonly<Record<string, Change>> = {
  PATCH: 'updatePet',
  PUT: 'replacePet',
  DELETE: 'deletePet',
}
const CHANGING = 'PUT, PATCH, DELETE'

/** The namespace of a request; `default` if its path is outside of the API. */
export function namespaceOf(request: ApiRequest): string {
  const credential = credentialOf(request.authorization)
  return credential.is === 'sent' && isInside(request) ? credential.namespace : 'default'
}

const isInside = (request: ApiRequest): boolean =>
  routeOf(request, false).path.startsWith('/v1/') || request.target.startsWith('/v1/')

/** Answers a request, in the order of checks: key, ban, window, charge, fault, forced response, route, body, look-up. */
export function answer(worlds: Worlds, request: ApiRequest): Answer | Lost {
  const route = routeOf(request, worlds.changesPets)
  if (!isInside(request)) return outside(worlds, request)
  if (request.method === 'OPTIONS') return options(worlds, route)
  const credential = credentialOf(request.authorization)
  const world = worlds.at(namespaceOf(request))
  const plan = credential.is === 'sent' && world.keys.find(credential.key, world.now)
  if (credential.is !== 'sent' || !plan)
    return noted(world, request, route, unauthorized(worlds, world, credential.is === 'missing'))

  const { key } = credential
  world.report.countRetry(key, world.now)
  const outcome = world.account(key).charge(planOf(plan, worlds.decisions), world.now)
  const limits = limitHeaders(outcome)
  const withLimits = (served: Answer): Answer => ({ ...served, headers: { ...limits, ...served.headers } })
  if (outcome.is !== 'counted')
    return noted(world, request, route, withLimits(refused(world, key, outcome, worlds)))

  const fault =
    world.faults.take({ operationId: route.operationId, method: request.method, path: route.path, key }) ??
    (world.failsByKey(key) ? { effect: { status: 503 } } : undefined)
  const carryOut = () => operate(worlds, world, key, request, route)
  const offered = { ...route, allow: allowedOf(worlds, route, isGone(worlds, world, key, route)) }
  return noted(world, request, route, faulty(fault, request, offered, carryOut), withLimits)
}

const whatOf = ({ method, target }: ApiRequest, status: number | 'none'): string =>
  `${method} ${target.replace(/\?$/, '')} ${status}`

function noted(
  world: World,
  request: ApiRequest,
  route: Route,
  served: Answer | Lost,
  withLimits = (answer: Answer): Answer => answer,
): Answer | Lost {
  const { operationId } = route
  world.counted = whatOf(request, served === 'lost' ? 'none' : served.status)
  if (served === 'lost') {
    world.report.count({ operationId, status: 0, isInvalid: false })
    return served
  }
  const { status } = served
  const isInvalid = [400, 405, 413, 415].includes(status) || served.code?.[0] === 'route_not_found'
  world.report.count({ operationId, status, isInvalid: isInvalid && !served.isArtificial })
  const complete = withLimits(served)
  const headers = { date: httpDate(world.now), ...deprecation(world, request, route), ...complete.headers }
  return { ...complete, headers, world }
}

/** The routes of the interface, section 4: paths match exactly and are decoded once. */
function routeOf({ method, target }: ApiRequest, changesPets: boolean): Route {
  const [raw = '', query = ''] = target.split(/\?(.*)/s)
  const isRead = method === 'GET' || method === 'HEAD'
  let path = raw
  try {
    path = decodeURIComponent(raw)
  } catch {
    const operationId = isRead ? 'getPet' : changesPets ? CHANGES[method] : undefined
    const isPet = operationId && /^\/v1\/pets\/[^/]+$/.test(raw)
    return { path: raw, query, isBadlyEncoded: true, ...(isPet && { operationId }) }
  }
  const base = { path, query, isBadlyEncoded: false }
  if (path === '/v1/pets') {
    const operationId = isRead ? 'listPets' : method === 'POST' ? 'createPet' : undefined
    return { ...base, ...(operationId && { operationId }), allow: 'GET, HEAD, POST, OPTIONS' }
  }
  const petId = /^\/v1\/pets\/([^/]+)$/.exec(path)?.[1]
  if (petId === undefined) return base
  const operationId = isRead ? 'getPet' : changesPets ? CHANGES[method] : undefined
  const allow = changesPets ? `GET, HEAD, ${CHANGING}, OPTIONS` : 'GET, HEAD, OPTIONS'
  return { ...base, ...(operationId && { operationId }), allow, petId }
}

/** GET and HEAD of a pet are removed, and with them the path, unless an overlay adds operations. */
const isGone = ({ decisions }: Worlds, world: World, key: string, { petId }: Route): boolean =>
  petId !== undefined &&
  decisions['get.afterRemoval'] !== 'serve' &&
  (world.now >= REMOVAL || key === 'psk_removed')

function allowedOf({ changesPets }: Worlds, { allow }: Route, gone: boolean): string | undefined {
  if (!gone) return allow
  return changesPets ? `${CHANGING}, OPTIONS` : undefined
}

/** The header fields of every answer to GET and HEAD of a pet, with any status (interface, sections 4.3 and 9). */
function deprecation(world: World, { authorization }: ApiRequest, { operationId }: Route): Expected {
  if (operationId !== 'getPet') return { deprecation: null, sunset: null, link: null }
  const isAfter = world.now >= REMOVAL || isRemovedKey(authorization)
  return {
    deprecation: '@1764892800',
    sunset: isAfter ? null : 'Thu, 05 Dec 2030 00:00:00 GMT',
    link: LINK,
  }
}

const isRemovedKey = (authorization: string | undefined): boolean => {
  const credential = credentialOf(authorization)
  return credential.is === 'sent' && credential.key === 'psk_removed'
}

/** The limit headers of a request without a valid key. */
function freeHeaders(worlds: Worlds, now: number): Expected {
  const { minute } = planOf('free', worlds.decisions)
  const turn = (Math.floor(now / MINUTE) + 1) * MINUTE
  const byClock = worlds.decisions['limits.minute'] === 'clock' ? [String(unix(turn))] : []
  return {
    'x-ratelimit-limit': String(minute),
    'x-ratelimit-remaining': String(minute),
    'x-ratelimit-reset': [String(unix(now + MINUTE)), ...byClock],
    'retry-after': null,
  }
}

/** The answer to a path outside the base path: it needs no key and counts towards no limit. */
function outside(worlds: Worlds, request: ApiRequest): Answer {
  const { method } = request
  const world = worlds.at('default')
  const headers = { date: httpDate(world.now), ...freeHeaders(worlds, world.now) }
  if (method !== 'OPTIONS') {
    world.report.count({ status: 404, isInvalid: true })
    world.counted = whatOf(request, 404)
  }
  return { status: 404, code: ['route_not_found'], message: /\/v1/, headers, world }
}

/** Whether a path may or may not be a route: a named operation without a description, or an invalid encoding. */
const mayBeRoute = ({ path, isBadlyEncoded }: Pick<Route, 'path' | 'isBadlyEncoded'>): boolean =>
  isBadlyEncoded || path === '/v1/store/orders'

/** The answer to OPTIONS: it needs no key and counts towards no limit. */
function options(worlds: Worlds, { path, allow, petId, isBadlyEncoded }: Route): Answer {
  const world = worlds.at('default')
  const isOpen = mayBeRoute({ path, isBadlyEncoded }) || (petId !== undefined && world.now >= REMOVAL)
  return {
    status: 204,
    headers: {
      date: httpDate(world.now),
      ...freeHeaders(worlds, world.now),
      ...(!isOpen && { allow: allow ?? null }),
    },
  }
}

/** The answer to a missing or invalid key (interface, section 5). */
function unauthorized(worlds: Worlds, world: World, isMissing: boolean): Answer {
  const error = ', error="invalid_token", error_description="The API key is not valid"'
  return {
    status: 401,
    code: [isMissing ? 'missing_api_key' : 'invalid_api_key'],
    ...(!isMissing && { message: /^The API key is not valid\.$/ }),
    headers: {
      ...freeHeaders(worlds, world.now),
      'www-authenticate': isMissing ? REALM : `${REALM}${error}`,
    },
  }
}

/** The limit headers of a request with a valid key (interface, section 8). */
const limitHeaders = ({ window }: Outcome): Expected => ({
  'x-ratelimit-limit': String(window.limit),
  'x-ratelimit-remaining': String(window.remaining),
  'x-ratelimit-reset': String(unix(window.reset)),
})

/** The refusal of a request beyond a limit or during a ban (interface, section 8). */
function refused(world: World, key: string, outcome: Outcome, worlds: Worlds): Answer {
  const { window } = outcome
  const seconds = wait(window.reset, world.now)
  const isBan = outcome.is === 'ban'
  world.report.refused(key, world.now + seconds * SECOND, {
    isWindow: !isBan,
    isNewBan: isBan && outcome.started,
  })
  const message = isBan
    ? `^The API key is temporarily banned\\. Retry after ${seconds} seconds?\\.$`
    : `^The limit of ${window.limit === UNLIMITED ? '' : `${window.limit} `}requests? per ${window.name} is used up\\. Retry after ${seconds} seconds?\\.$`
  return {
    status: isBan ? Number(worlds.decisions['ban.status']) : 429,
    code: [isBan ? 'api_key_banned' : 'rate_limit_exceeded'],
    message: new RegExp(message),
    headers: { 'retry-after': String(seconds) },
  }
}

/** A fault before replaces the work, a fault after replaces its answer; without a fault, Prefer precedes the work. */
function faulty(
  fault: Fault | undefined,
  request: ApiRequest,
  route: Route,
  carryOut: () => Answer,
): Answer | Lost {
  if (fault && fault.when !== 'after') return injected(fault, route)
  if (!fault) return forced(request, route) ?? carryOut()
  carryOut()
  return injected(fault, route)
}

function injected({ effect }: Fault, route: Route): Answer | Lost {
  if ('wire' in effect) return 'lost'
  const { status, retryAfter } = effect
  return {
    ...fieldsRequiredBy(status, route, String(retryAfter ?? 1)),
    isArtificial: true,
    ...(CODES[status] && { code: CODES[status] }),
  }
}

/** The header fields that a status requires. */
function fieldsRequiredBy(
  status: number,
  { allow, path, isBadlyEncoded }: Route,
  retryAfter: string,
): Answer {
  return {
    status,
    headers: {
      ...((status === 429 || status === 503) && { 'retry-after': retryAfter }),
      ...(status === 405 && !mayBeRoute({ path, isBadlyEncoded }) && { allow: allow ?? '' }),
      ...(status === 401 && {
        'www-authenticate': [
          REALM,
          `${REALM}, error="invalid_token", error_description="The API key is not valid"`,
        ],
      }),
    },
  }
}

/** The answer that the header Prefer asks for; undefined if it asks for none. */
function forced({ prefer }: ApiRequest, route: Route): Answer | undefined {
  // An unknown preference with a parameter (RFC 7240).
  if (prefer === undefined || prefer.startsWith('x;')) return undefined
  const code = /^code=(\d{3})$/.exec(prefer)?.[1]
  const status = Number(code)
  if (!code || status < 400 || status > 599) return { status: 400, code: ['invalid_request'], headers: {} }
  const { headers } = fieldsRequiredBy(status, route, '1')
  const { 'retry-after': _open, ...rest } = headers
  return { status, isArtificial: true, headers: { ...rest, 'preference-applied': prefer } }
}

/** Checks the route, then runs the operation. */
function operate(worlds: Worlds, world: World, key: string, request: ApiRequest, route: Route): Answer {
  const { decisions } = worlds
  if (route.isBadlyEncoded) return error(400, 'invalid_request')
  if (route.path === '/v1/store/orders') return error(501, 'not_implemented')
  if (route.allow === undefined) return error(404, 'route_not_found')
  const isRemoved = world.now >= REMOVAL || key === 'psk_removed'
  const gone = isGone(worlds, world, key, route)
  const allow = allowedOf(worlds, route, gone)
  const isRead = route.operationId === 'getPet'
  if (gone && (isRead || allow === undefined)) {
    if (decisions['get.afterRemoval'] === '410') return error(410, 'endpoint_removed')
    if (allow === undefined) return error(404, 'route_not_found')
  }
  if (route.operationId === undefined || (gone && isRead))
    return { ...error(405, 'method_not_allowed'), headers: { allow: allow ?? '' } }
  const store = world.store(key)
  if (route.operationId === 'updatePet') return update(store, world, route, request, decisions)
  if (route.operationId === 'replacePet') return replace(store, world, route, request, decisions)
  if (route.operationId === 'deletePet') return remove(store, world, route, decisions)
  if (route.operationId === 'getPet') return get(store, world, route, decisions)
  if (route.operationId === 'listPets') return list(store, world, route, decisions)
  return create(store, world, key, request, decisions, isRemoved)
}

const error = (status: number, ...code: string[]): Answer => ({ status, code, headers: {} })

/** The undeclared query parameters, which are ignored with a warning or refused. */
function unknownParameters(query: string, known: readonly string[]): string[] {
  const names = query.split('&').flatMap((pair) => (pair === '' ? [] : [pair.split('=')[0] ?? '']))
  return [...new Set(names)].filter((name) => !known.includes(name))
}

/** The answer of listPets (interface, section 4.1). */
function list(store: Pets, world: World, { query }: Route, decisions: Decisions): Answer {
  const parameters = new URLSearchParams(query)
  const unknown = unknownParameters(query, ['limit', 'status'])
  const limits = parameters.getAll('limit')
  const statuses = parameters.getAll('status')
  const limit = limitOf(limits[0], decisions)
  const status = statusOf(statuses[0], decisions)
  const isWrong = limits.length > 1 || statuses.length > 1 || limit === undefined || status === undefined
  if (isWrong || (unknown.length > 0 && decisions.unknown === 'reject')) {
    const listed = status === undefined && limits.length < 2 && limit !== undefined && statuses.length < 2
    return { ...error(400, 'invalid_parameter'), ...(listed && { message: /available.*pending.*sold/ }) }
  }
  world.report.ignores(unknown.length)
  const pets =
    status === 'none' ? [] : store.list(limit, status === 'any' ? undefined : status, decisions['list.order'])
  return { status: 200, text: `[${pets.map(petText).join(',')}]`, headers: {} }
}

function limitOf(text: string | undefined, decisions: Decisions): number | undefined {
  if (text === undefined) return 20
  const isInteger = /^(0|[1-9]\d*)$/.test(text)
  if (decisions['list.limit'] === 'reject')
    return isInteger && Number(text) >= 1 && Number(text) <= 100 ? Number(text) : undefined
  return /^-?(0|[1-9]\d*)$/.test(text) ? Math.min(100, Math.max(1, Number(text))) : 20
}

function statusOf(text: string | undefined, decisions: Decisions): string | undefined {
  if (text === undefined) return 'any'
  if (STATUSES.includes(text)) return text
  return { reject: undefined, empty: 'none', ignore: 'any' }[decisions['list.status']]
}

/** The answer of createPet (interface, section 4.2). */
function create(
  store: Pets,
  world: World,
  key: string,
  { body = { is: 'empty' }, contentType }: ApiRequest,
  decisions: Decisions,
  isRemoved: boolean,
): Answer {
  const read = readNewPet(body, contentType, decisions)
  if (read.is === 'refused') {
    return { ...error(read.status, read.code), ...(read.message && { message: read.message }) }
  }
  world.report.ignores(read.ignored.length)
  const pet = store.create(read.pet)
  world.report.creates(key, bodyText(body), world.now)
  const location = isRemoved && decisions['get.afterRemoval'] !== 'serve' ? null : `/v1/pets/${pet.id}`
  return { status: 201, text: petText(pet), headers: { location } }
}

/** The answer of getPet (interface, section 4.3). */
function get(store: Pets, world: World, { petId = '', query }: Route, decisions: Decisions): Answer {
  const unknown = unknownParameters(query, [])
  const wrong = wrongParameters({ petId, query }, decisions)
  if (wrong) return wrong
  world.report.ignores(unknown.length)
  const pet = find(store, petId)
  return pet ? { status: 200, text: petText(pet), headers: {} } : notFound(petId)
}

const isId = (petId: string): boolean => /^(0|[1-9]\d*)$/.test(petId) && BigInt(petId) <= MAX_INT64

const find = (store: Pets, petId: string): Pet | undefined =>
  isId(petId) ? store.find(BigInt(petId)) : undefined

/** The refusal of the parameters of an operation on one pet; undefined if they are accepted. */
function wrongParameters(
  { petId = '', query }: Pick<Route, 'petId' | 'query'>,
  decisions: Decisions,
): Answer | undefined {
  const isRefused = decisions.unknown === 'reject' && unknownParameters(query, []).length > 0
  if (isRefused || (!isId(petId) && decisions['get.invalidId'] === '400'))
    return error(400, 'invalid_parameter')
  return undefined
}

const notFound = (petId: string): Answer => ({
  ...error(404, 'pet_not_found'),
  ...(isId(petId) && { message: new RegExp(`^No animal has the identifier ${petId}\\.$`) }),
})

/** The documentation of overlays: a merge patch (RFC 7396). Its result is validated, so the look-up comes first. */
function update(
  store: Pets,
  world: World,
  route: Route,
  { body = { is: 'empty' }, contentType }: ApiRequest,
  decisions: Decisions,
): Answer {
  const { petId = '', query } = route
  const pet = find(store, petId)
  const read = readPatch(body, contentType, decisions, pet)
  // A body that cannot be read is refused before the parameters are validated, an invalid one afterwards.
  if (read.is === 'refused' && read.stage === 'reading') return refusedBody(read)
  const wrong = wrongParameters(route, decisions)
  if (wrong) return wrong
  if (read.is === 'refused' && read.stage === 'shape') return refusedBody(read)
  if (!pet) {
    world.report.mayIgnore(unknownParameters(query, []).length + membersOf(body))
    return notFound(petId)
  }
  if (read.is === 'refused') return refusedBody(read)
  world.report.ignores(unknownParameters(query, []).length + read.ignored.length)
  const after = { id: pet.id, ...read.pet }
  store.put(after)
  return { status: 200, text: petText(after), headers: {} }
}

/** The documentation of overlays: the body of a new pet replaces all fields except the id. */
function replace(
  store: Pets,
  world: World,
  route: Route,
  { body = { is: 'empty' }, contentType }: ApiRequest,
  decisions: Decisions,
): Answer {
  const { petId = '', query } = route
  const read = readNewPet(body, contentType, { ...decisions, 'create.status': 'absent' })
  if (read.is === 'refused' && read.stage === 'reading') return refusedBody(read)
  const wrong = wrongParameters(route, decisions)
  if (wrong) return wrong
  if (read.is === 'refused') return refusedBody(read)
  const pet = find(store, petId)
  if (!pet) {
    world.report.mayIgnore(unknownParameters(query, []).length + read.ignored.length)
    return notFound(petId)
  }
  world.report.ignores(unknownParameters(query, []).length + read.ignored.length)
  const after = { id: pet.id, ...read.pet }
  store.put(after)
  return { status: 200, text: petText(after), headers: {} }
}

/** The documentation of overlays. */
function remove(store: Pets, world: World, route: Route, decisions: Decisions): Answer {
  const { petId = '', query } = route
  const wrong = wrongParameters(route, decisions)
  if (wrong) return wrong
  world.report.ignores(unknownParameters(query, []).length)
  const pet = find(store, petId)
  if (!pet) return notFound(petId)
  store.delete(pet.id)
  return { status: 204, headers: {} }
}

const membersOf = (body: Body): number => (body.is === 'members' ? body.members.length : 0)

const refusedBody = ({
  status,
  code,
  message,
}: {
  status: number
  code: string
  message?: RegExp
}): Answer => ({
  ...error(status, code),
  ...(message && { message }),
})
