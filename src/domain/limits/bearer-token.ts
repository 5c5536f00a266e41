const SCHEME = /^bearer( +|$)/i

/** The text after the scheme; empty where there is none, or another scheme. */
export function bearerToken(authorization = ''): string {
  const scheme = SCHEME.exec(authorization)
  return scheme ? authorization.slice(scheme[0].length) : ''
}
