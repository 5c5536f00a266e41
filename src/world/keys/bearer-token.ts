import { InvalidValue } from '../../text/advised-error.ts'

const SCHEME = 'bearer'

/** The valid names of a namespace. */
export const NAMESPACE_FORM = /^[A-Za-z0-9_-]{1,64}$/

/** Reads the name of a namespace; throws a RangeError for anything else. */
export function readNamespace(name: string): string {
  // JavaScript may pass an environment variable that is not set; it would become the name "undefined".
  if (typeof name === 'string' && NAMESPACE_FORM.test(name)) return name
  throw new InvalidValue(`"${name}" is not a valid namespace`, 'use 1 to 64 of A-Z a-z 0-9 _ -')
}

/** A key and the namespace that its suffix names: `psk_pro.checkout`. */
export function splitToken(token: string): { readonly key: string; readonly namespace: string | undefined } {
  const dot = token.lastIndexOf('.')
  return dot < 0
    ? { key: token, namespace: undefined }
    : { key: token.slice(0, dot), namespace: token.slice(dot + 1) }
}

/** The text after the scheme; empty if there is none, or another scheme. */
export function bearerToken(authorization = ''): string {
  if (authorization.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return ''
  let start = SCHEME.length
  while (authorization[start] === ' ') start++
  return start > SCHEME.length ? authorization.slice(start) : ''
}
