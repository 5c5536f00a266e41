/** The reason why a connection failed, in words; `otherwise` for an unknown code. */
export function reasonFor(code: string | undefined, otherwise: string): string {
  if (!code) return otherwise
  const certificate = certificateProblem(code)
  if (certificate) return `its certificate ${certificate.problem}; ${certificate.fix}`
  return REASONS[code] ?? otherwise
}

/** The fault of the certificate of a service, by the code of Node's error or the text of Deno's; undefined for another error. */
export function certificateProblem(
  code: string,
): { readonly problem: string; readonly fix: string } | undefined {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return { problem: 'is for another name', fix: 'use an address that it names' }
  if (code === 'CERT_HAS_EXPIRED') return { problem: 'has expired', fix: 'make a new one' }
  if (code === 'CERT_NOT_YET_VALID')
    return { problem: 'is not valid yet', fix: 'use another one, or correct the time of this machine' }
  if (!/CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|peer certificate/.test(code)) return undefined
  return {
    problem: `is not trusted (${code})`,
    fix: 'name a file with it, or with that of its authority, in the environment variable NODE_EXTRA_CA_CERTS',
  }
}

/** The advice if `origin` has the wrong protocol or port for a connection. */
export function addressAdvice(code: string, origin: string): string | undefined {
  if (code === 'bad port') return 'Fetch and browsers refuse this port: start the sandbox on another one'
  if (code === 'UND_ERR_SOCKET') return `If it serves HTTPS, use ${origin.replace(/^http:/, 'https:')}`
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return `It serves HTTP: use ${origin.replace(/^https:/, 'http:')}`
  return undefined
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused: no service listens there',
  ENOTFOUND: 'there is no such host',
  ECONNRESET: 'the connection was reset',
  // `fetch` asserts that the parts of a response are valid, such as its status.
  ERR_ASSERTION: 'its response is not HTTP',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it serves HTTP, not HTTPS',
  Z_DATA_ERROR: 'its body is not what its Content-Encoding says',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
}
