import { signal } from '@preact/signals'
import createClient from 'openapi-fetch'
import { keepDigits } from '../text/json.ts'
import type { Paths } from './types.ts'

export const BASE = '/_sandbox'
export const ORIGIN = location.origin
const TOKEN = 'petstore-sandbox-control-token'

/** The state of the connection to the sandbox. */
export type Standing =
  | { readonly state: 'connecting' | 'live' | 'away' }
  /** The sandbox wants its control token. */
  | { readonly state: 'token'; readonly message: string }
  /** The guard refuses this page. */
  | { readonly state: 'refused'; readonly message: string }

export const standing = signal<Standing>({ state: 'connecting' })

export const token = signal(sessionStorage.getItem(TOKEN) ?? '')

export function giveToken(text: string): void {
  sessionStorage.setItem(TOKEN, text)
  token.value = text
  standing.value = { state: 'connecting' }
}

/** The error of a refused call. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** Grows with each call that got no answer: the stream may hang, too. */
export const unanswered = signal(0)
addEventListener('offline', () => {
  unanswered.value++
})

/** `fetch` with the token; a refusal of the guard becomes the standing of the page. */
export async function send(request: Request): Promise<Response> {
  if (token.value !== '') request.headers.set('authorization', `Bearer ${token.value}`)
  const response = await fetch(request).catch((error: Error) => {
    if (error.name !== 'AbortError') unanswered.value++
    throw error
  })
  if (response.status === 401 || response.status === 403) {
    const { message = '', code } = (await response
      .clone()
      .json()
      .catch(() => ({}))) as { message?: string; code?: string }
    if (code === 'invalid_control_token')
      standing.value = { state: 'token', message: token.value === '' ? '' : message }
    if (code === 'control_forbidden') standing.value = { state: 'refused', message }
  }
  return response
}

/** The control API as its document describes it; integers of any length keep their digits. */
export const api = createClient<Paths>({
  baseUrl: BASE,
  async fetch(request: Request) {
    const response = await send(request)
    if (response.status === 204 || !response.headers.get('content-type')?.includes('json')) return response
    const { status, headers } = response
    return new Response(keepDigits(await response.text()), { status, headers })
  },
})

/** The answer of a call, or its refusal as an Error with the sandbox's own message. */
export async function answerOf<Data>(
  call: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data> {
  let answer: { data?: Data; error?: unknown; response: Response }
  try {
    answer = await call
  } catch {
    throw new Refusal('The sandbox does not answer.', 0)
  }
  const { data, error, response } = answer
  if (response.ok) return data as Data
  const message = (error as { message?: string } | undefined)?.message
  throw new Refusal(message ?? `The sandbox answered with ${response.status}.`, response.status)
}
