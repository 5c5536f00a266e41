import { signal } from '@preact/signals'
import createClient from 'openapi-fetch'
import { keepDigits } from '../text/json.ts'
import type { Paths } from './types.ts'

/** The path of the control API: that of this page, even behind a proxy. */
export const BASE = new URL(document.baseURI).pathname.replace(/\/$/, '')
/** The address of the sandbox; the Animal Store is under it. */
export const ROOT = location.origin + BASE.replace(/\/_sandbox$/, '')
export const API_URL = `${ROOT}/v1`
const TOKEN = 'petstore-sandbox-control-token'

/** The state of the connection to the sandbox. */
export type Standing =
  | { readonly state: 'connecting' | 'live' }
  /** The sandbox does not answer since `since` (real time). `message`: the server that answers in its place. */
  | { readonly state: 'away'; readonly since: number; readonly message?: string }
  /** The sandbox requires its control token. */
  | { readonly state: 'token'; readonly message: string }
  /** The sandbox refuses requests of this page. */
  | { readonly state: 'refused'; readonly message: string }

export const standing = signal<Standing>({ state: 'connecting' })

export const token = signal(sessionStorage.getItem(TOKEN) ?? '')

export function giveToken(text: string): void {
  // A header field could not carry other characters.
  if (!/^[\x21-\x7e]+$/.test(text)) {
    standing.value = { state: 'token', message: 'A control token has visible ASCII characters only.' }
    return
  }
  sessionStorage.setItem(TOKEN, text)
  token.value = text
  standing.value = { state: 'connecting' }
}

/** The error of a refused call. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** `fetch` with the token. A refusal of the guard changes the state of the connection. */
export async function send(request: Request): Promise<Response> {
  if (token.value !== '') request.headers.set('authorization', `Bearer ${token.value}`)
  const response = await fetch(request)
  if (response.status === 401 || response.status === 403) {
    const { message = '', code } = await errorOf(response.clone())
    if (code === 'invalid_control_token')
      standing.value = { state: 'token', message: token.value === '' ? '' : message }
    if (code === 'control_forbidden') standing.value = { state: 'refused', message }
  }
  return response
}

const errorOf = (response: Response): Promise<{ readonly message?: string; readonly code?: string }> =>
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

/** The data and the header fields of a successful response. Otherwise throws a Refusal with the message of the sandbox. */
export async function replyOf<Data>(call: Call<Data>): Promise<{ data: Data; headers: Headers }> {
  const { data, error, response } = await call.catch(() => {
    throw new Refusal('The sandbox does not answer.')
  })
  if (response.ok) return { data: data as Data, headers: response.headers }
  const { message } = (error ?? {}) as { message?: string }
  throw new Refusal(message ?? `The sandbox answered with ${response.status}.`)
}

export const answerOf = async <Data>(call: Call<Data>): Promise<Data> => (await replyOf(call)).data

/** Saves the response to a control call as a file. */
export async function save(path: string, name: string): Promise<void> {
  const response = await send(new Request(BASE + path))
  if (!response.ok)
    throw new Refusal((await errorOf(response)).message ?? `The sandbox answered with ${response.status}.`)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
