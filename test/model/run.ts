import type { SandboxFetch } from '../../src/web/fetch.ts'
import { type Answer, type ApiRequest, answer, namespaceOf } from './answer.ts'
import { callOf, control, isChange } from './control.ts'
import { bodyText } from './new-pet.ts'
import type { Decisions } from './settings.ts'
import type { Step } from './steps.ts'
import { Worlds } from './world.ts'

const EXPOSED =
  'Date, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Deprecation, Sunset, Link, Location, WWW-Authenticate, Allow, Preference-Applied, X-Request-Id'

/** Sends the steps to the sandbox and to the model. Throws an error with all steps at the first difference. */
export async function runSteps(
  decisions: Partial<Decisions>,
  steps: readonly Step[],
  fetch: SandboxFetch,
  changesPets = false,
): Promise<void> {
  const worlds = new Worlds(decisions, changesPets)
  const lines = [
    `given ${JSON.stringify(decisions)}${changesPets ? ' and an overlay that changes pets' : ''}`,
  ]
  for (const step of steps) {
    lines.push(lineOf(worlds, step))
    const differences =
      step.do === 'send' ? await sendAll(worlds, step, fetch) : await callControl(worlds, step, fetch)
    if (differences.length > 0) throw new Error([...lines, ...differences].join('\n'))
  }
}

async function sendAll(worlds: Worlds, step: Step & { do: 'send' }, fetch: SandboxFetch): Promise<string[]> {
  for (let time = 1; time <= step.times; time++) {
    const world = worlds.at(namespaceOf(step))
    world.counted = undefined
    const { result: expected, add } = world.history.record(world, () => answer(worlds, step))
    const received = await send(step, fetch)
    if (world.counted !== undefined) add({ what: world.counted, id: idOf(received) })
    const differences = compare(step, expected, received)
    if (differences.length > 0) return [`  (sending ${time} of ${step.times})`, ...differences]
  }
  return []
}

interface Received {
  readonly response: Response
  readonly text: string
}

async function send(request: ApiRequest, fetch: SandboxFetch): Promise<Received | 'lost'> {
  const { method, target, authorization, prefer, contentType, body } = request
  const headers = new Headers()
  if (authorization !== undefined) headers.set('authorization', authorization)
  if (prefer !== undefined) headers.set('prefer', prefer)
  if (contentType !== undefined) headers.set('content-type', contentType)
  try {
    const bytes = body && Buffer.from(bodyText(body))
    const response = await fetch(target, { method, headers, ...(bytes && { body: bytes }) })
    return { response, text: await response.text() }
  } catch {
    return 'lost'
  }
}

const idOf = (received: Received | 'lost'): string | undefined =>
  received === 'lost' ? undefined : (received.response.headers.get('x-request-id') ?? undefined)

function compare({ method }: ApiRequest, expected: Answer | 'lost', received: Received | 'lost'): string[] {
  if (expected === 'lost' || received === 'lost') {
    if (expected === received) return []
    return [
      difference(
        'answer',
        expected === 'lost' ? 'lost' : expected.status,
        received === 'lost' ? 'lost' : received.response.status,
      ),
    ]
  }
  const { response, text } = received
  const { status, code, message, headers, world } = expected
  const differences: string[] = []
  const same = (what: string, wanted: unknown, got: unknown) => {
    const isOneOf = Array.isArray(wanted) ? wanted.includes(got) : wanted === got
    if (!isOneOf) differences.push(difference(what, wanted, got))
  }
  same('status', status, response.status)
  if (response.status !== status) return [...differences, `    body      ${text.slice(0, 200)}`]
  for (const [name, value] of Object.entries(headers)) same(name, value, response.headers.get(name))
  if (status !== 204) {
    same('cache-control', 'no-store', response.headers.get('cache-control'))
    same('content-type', 'application/json', response.headers.get('content-type'))
    same('access-control-allow-origin', '*', response.headers.get('access-control-allow-origin'))
    same('access-control-expose-headers', EXPOSED, response.headers.get('access-control-expose-headers'))
  }
  if (method === 'HEAD' || status === 204) {
    same('body', '', text)
    if (expected.text !== undefined && method === 'HEAD')
      same('content-length', String(Buffer.byteLength(expected.text)), response.headers.get('content-length'))
  } else {
    same('content-length', String(Buffer.byteLength(text)), response.headers.get('content-length'))
    if (expected.text !== undefined) same('body', expected.text, text)
    if (status >= 400) differences.push(...compareError(status, code, message, text))
  }
  differences.push(...compareId(response, world?.requestIds))
  return differences
}

/** An error has exactly three members (interface, section 7). */
function compareError(
  status: number,
  code: readonly string[] | undefined,
  message: RegExp | undefined,
  text: string,
): string[] {
  const error = JSON.parse(text)
  const differences: string[] = []
  if (Object.keys(error).join() !== 'code,message,status' || error.status !== status)
    differences.push(difference('error', `code, message, status ${status}`, text))
  if (code && !code.includes(error.code)) differences.push(difference('code', code, text))
  if (message && !message.test(error.message))
    differences.push(difference('message', String(message), error.message))
  return differences
}

function compareId({ headers }: Response, seen: Set<string> | undefined): string[] {
  const id = headers.get('x-request-id') ?? ''
  if (!/^req_\d{6,}$/.test(id) || seen?.has(id)) return [difference('x-request-id', 'a new req_…', id)]
  seen?.add(id)
  return []
}

async function callControl(
  worlds: Worlds,
  step: Exclude<Step, { do: 'send' }>,
  fetch: SandboxFetch,
): Promise<string[]> {
  const world = worlds.at(step.namespace)
  const { method, target, body } = callOf(step, world)
  const { result, add } = world.history.record(world, () => control(worlds, step))
  const { status, shows, expected } = result
  const response = await fetch(target, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  const text = await response.text()
  if (!status.includes(response.status)) return [difference('status', status, `${response.status} ${text}`)]
  if (isChange(step) && response.ok) add({ what: undefined, id: undefined })
  if (!shows) return []
  const shown = shows(text)
  const [wanted, got] = [canonical(expected), canonical(shown)]
  return wanted === got ? [] : [difference('body', wanted, got)]
}

/** JSON with the members of every object in one order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each) =>
    each && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )

const difference = (what: string, expected: unknown, received: unknown): string =>
  `    ${what}\n      expected  ${plain(expected)}\n      received  ${plain(received)}`

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** A step as a readable line. */
function lineOf(worlds: Worlds, step: Step): string {
  if (step.do !== 'send') {
    const { method, target, body } = callOf(step, worlds.at(step.namespace))
    return `  ${method} ${target} ${body === undefined ? '' : JSON.stringify(body)}`
  }
  const { method, target, authorization, prefer, contentType, body, times } = step
  const headers = [
    authorization !== undefined && `Authorization: ${authorization}`,
    prefer !== undefined && `Prefer: ${prefer}`,
    contentType !== undefined && `Content-Type: ${contentType}`,
    body && bodyText(body).slice(0, 120),
  ].filter(Boolean)
  return `  ${method} ${target}${times > 1 ? ` × ${times}` : ''}   ${headers.join('   ')}`
}
