import { computed, signal } from '@preact/signals'
import createClient from 'openapi-fetch'
import { keepDigits } from '../text/json.ts'
import type { Paths } from './types.ts'

/** The path of the control API: that of this page, even behind a proxy. */
export const BASE = new URL(document.baseURI).pathname.replace(/\/$/, '')
/** The address of the sandbox; the Animal Store is under it. */
export const ROOT = location.origin + BASE.replace(/\/_sandbox$/, '')
export const API_URL = `${ROOT}/v1`
const TOKEN = 'petstore-sandbox-control-token'
const SHORTCUTS = 'petstore-sandbox-shortcuts'

/** The state of the connection to the sandbox. */
export interface Connection {
  /** `token`, `refused`: the sandbox requires its control token, or refuses requests of this page. */
  readonly state: 'connecting' | 'live' | 'away' | 'token' | 'refused'
  /** The reason why there are no events or data, or which server answers in the place of the sandbox. */
  readonly message?: string
  /** The real time since which it does not answer. */
  readonly since?: number
}

export const connection = signal<Connection>({ state: 'connecting' })
/** The last refusal of an action, and the place of the page that shows it. */
export const refusal = signal<{ readonly place: string; readonly message: string } | undefined>(undefined)

/** The base URL of the service, if this is a proxy; empty if not, and undefined until that is known. */
export const service = signal<string | undefined>(undefined)
/** Whether pets, keys, limits and earlier states are here; those of a proxy are in its service. */
export const hasState = computed(() => !service.value)

/** The lead of the clock of the sandbox over that of the browser, in milliseconds. */
let ahead = 0
/** `real`: the real time that the sandbox has just sent. */
export function setTime(real: string): void {
  ahead = Date.parse(real) - Date.now()
}
/** Real time, by the clock of the sandbox. */
export const realNow = (): number => Date.now() + ahead
/** That instant by the clock of the browser: after a replay, the sandbox continues at the time of the recording. */
export const trueTime = (real: number): number =>
  // A difference of a few seconds is the delay of the event.
  Math.abs(ahead) < 5000 ? real : real - ahead

/** A browser may refuse a page its storage: the page has the token until it is closed, then. */
function ifAllowed<Value>(act: () => Value): Value | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}

/** Whether keys of one character act. Speech input can press them by mistake (WCAG 2.1.4). */
export const hasShortcuts = signal(ifAllowed(() => localStorage.getItem(SHORTCUTS)) !== 'off')

export function switchShortcuts(): void {
  hasShortcuts.value = !hasShortcuts.value
  ifAllowed(() => localStorage.setItem(SHORTCUTS, hasShortcuts.value ? 'on' : 'off'))
}

export const token = signal(ifAllowed(() => sessionStorage.getItem(TOKEN)) ?? '')
/** The only namespace of the user of a public sandbox, whose token is the key of this namespace. */
export const ownWorld = computed(() => /^psk_\w+\.([\w-]{1,64})$/.exec(token.value)?.[1])
/** Whether the user can choose and make namespaces. A proxy has one. */
export const hasNamespaces = computed(() => hasState.value && ownWorld.value === undefined)

export function giveToken(text: string): void {
  // A header field could not carry other characters.
  if (!/^[\x21-\x7e]+$/.test(text)) {
    connection.value = { state: 'token', message: 'A control token has visible ASCII characters only.' }
    return
  }
  ifAllowed(() => sessionStorage.setItem(TOKEN, text))
  // The same token again is another attempt.
  token.value = ''
  token.value = text
  connection.value = { state: 'connecting' }
}

/** The number of actions of this page in progress, or just done. */
export const acting = { count: 0 }
/** The name of this page in the history, by which it knows the control calls of its actions. */
export const CALLER = `page ${Math.random().toString(36).slice(2, 8)}`

/** `fetch` with the token, as this page. */
export function send(request: Request): Promise<Response> {
  request.headers.set('x-sandbox-caller', acting.count > 0 ? CALLER : 'page')
  if (token.value !== '') request.headers.set('authorization', `Bearer ${token.value}`)
  return fetch(request)
}

export const errorOf = (response: Response): Promise<{ readonly message?: string; readonly code?: string }> =>
  response.json().catch(() => ({}))

/** The typed client of the control API. Integers keep all digits. */
export const api = createClient<Paths>({
  baseUrl: location.origin + BASE,
  async fetch(request: Request) {
    const response = await send(request)
    if (response.status === 204 || !response.headers.get('content-type')?.includes('json')) return response
    const { status, headers } = response
    return new Response(keepDigits(await response.text()), { status, headers })
  },
})

type Call<Data> = Promise<{ data?: Data; error?: unknown; response: Response }>

/** The data and the header fields of a successful response. Otherwise throws the message of the sandbox. */
export async function replyOf<Data>(call: Call<Data>): Promise<{ data: Data; headers: Headers }> {
  const { data, error, response } = await call.catch(() => {
    throw new Error('The sandbox does not answer.')
  })
  if (response.ok) return { data: data as Data, headers: response.headers }
  const { message } = (error ?? {}) as { message?: string }
  throw new Error(message ?? `The sandbox answered with ${response.status}.`)
}

export const answerOf = async <Data>(call: Call<Data>): Promise<Data> => (await replyOf(call)).data

/** Saves the response to a control call as a file. */
export async function save(path: string, name: string): Promise<void> {
  const call = send(new Request(BASE + path)).then(async (response) =>
    response.ok ? { response, data: await response.blob() } : { response, error: await errorOf(response) },
  )
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await answerOf(call))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
