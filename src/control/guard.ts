import { shorten } from '../text/shorten.ts'
import { encodeUtf8 } from '../text/utf8.ts'
import { ApiError } from '../world/api-error.ts'
import { fieldValue, fieldValues, isRead, type Request, UNKNOWN_ADDRESS } from '../world/traffic/message.ts'
import { forwardedField, isLoopback } from '../world/traffic/peer.ts'

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i

/** The refusal of a request that must not use the control API; undefined if it may. */
type Guard = (request: Request) => ApiError | undefined

/**
 * Without a token, a request must come from a loopback address, not through a proxy, with a loopback Host (against DNS
 * rebinding), and must not be a write by a page of another origin. With a token, every request that has it passes, from
 * anywhere.
 */
export const createGuard = (token: string | undefined): Guard =>
  token === undefined ? guardLoopback : guardByToken(token)

function guardLoopback(request: Request): ApiError | undefined {
  const { address, headers, scheme = 'http' } = request
  const forwarded = forwardedField(request)
  if (forwarded !== undefined)
    return forbidden(
      `answers no requests that came through a proxy (${shorten(forwarded)}; a server that adds it itself: trustForwarded)`,
    )
  if (address === UNKNOWN_ADDRESS)
    return forbidden(
      'answers this machine only, and the server that it is mounted in does not report where this request comes from: pass { address } to the handler, or create the sandbox with control: true',
    )
  if (address !== undefined && !isLoopback(address))
    return forbidden(`answers this machine only, not ${address}`)
  const [host = '', ...more] = fieldValues(headers, 'host')
  if (more.length > 0 || !LOOPBACK_HOST.test(host))
    return forbidden(`answers under localhost, 127.0.0.1 or [::1] only, not under "${shorten(host)}"`)
  const origin = fieldValue(headers, 'origin')?.toLowerCase()
  // Firefox can be set to send no Origin. Clients other than browsers send neither field.
  const site = fieldValue(headers, 'sec-fetch-site')?.toLowerCase() ?? 'none'
  const isOwn = origin === `${scheme}://${host.toLowerCase()}`
  // The proxy of a dev server may replace Host; a rebound name is then in Origin only.
  const isLocal = origin === undefined || LOOPBACK_HOST.test(origin.replace(/^https?:\/\//, ''))
  const isSame = site === 'same-origin' || (origin === undefined && site === 'none')
  if (isOwn || isRead(request) || (isLocal && isSame)) return undefined
  return forbidden(`refuses writes from pages of another origin (${shorten(origin ?? site)})`)
}

/** Refuses a costly read to a page of another origin, which cannot read the reply but could ask again and again. */
export function guardCostlyRead({ headers, scheme }: Request): void {
  const field = (name: string) => fieldValue(headers, name)?.toLowerCase()
  const origin = field('origin')
  const site = field('sec-fetch-site')
  const isForeign =
    site === undefined
      ? origin !== undefined && origin !== `${scheme ?? 'http'}://${field('host')}`
      : site !== 'same-origin' && site !== 'none'
  // The user opened a link.
  const isOpened = field('sec-fetch-mode') === 'navigate' && field('sec-fetch-dest') === 'document'
  if (isForeign && !isOpened)
    throw forbidden('refuses recordings, exports and lists to pages of another origin')
}

const forbidden = (what: string): ApiError =>
  new ApiError(
    'control_forbidden',
    `The control API ${what}. To control the sandbox from elsewhere, give it a token (--control-token, PETSTORE_SANDBOX_CONTROL_TOKEN, or controlToken in code) and send that as bearer; a page of another origin also needs --control-origin (controlOrigins).`,
  )

const SEND_TOKEN =
  'Send the control token, in a public sandbox the key of the world, as "Authorization: Bearer <token>".'
const CHALLENGE = 'Bearer realm="petstore-sandbox-control"'

/** Compares in constant time. */
function isSame(given: Uint8Array, expected: Uint8Array): boolean {
  let difference = given.length ^ expected.length
  for (const [i, byte] of given.entries()) difference |= byte ^ (expected[i % expected.length] ?? 0)
  return difference === 0
}

function guardByToken(token: string): Guard {
  const expected = encodeUtf8(token)
  const refused = (message: string, challenge = CHALLENGE) =>
    new ApiError('invalid_control_token', message, ['WWW-Authenticate', challenge])
  return ({ headers }) => {
    const [sent, ...more] = fieldValues(headers, 'authorization')
    const given = /^bearer (.*)$/i.exec(sent ?? '')?.[1]?.trim()
    if (given === undefined) return refused(SEND_TOKEN)
    if (more.length === 0 && isSame(encodeUtf8(given), expected)) return undefined
    const message = 'The control token is not valid'
    const challenge = `${CHALLENGE}, error="invalid_token", error_description="${message}"`
    return refused(`${message}; in a public sandbox, it is the key of the world.`, challenge)
  }
}
