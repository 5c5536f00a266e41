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

/** The ports to which `fetch` and browsers send nothing (Fetch standard, section 2.9). */
const REFUSED_PORTS = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/** The warning of a server that `fetch` and browsers do not reach; undefined for any other port. */
export const portWarning = (port: number): string | undefined =>
  REFUSED_PORTS.has(port)
    ? `Fetch and browsers refuse port ${port}, so they cannot reach the sandbox. Use another port.`
    : undefined

/** The advice if `origin` has the wrong protocol or port for a connection. */
export function addressAdvice(code: string, origin: string): string | undefined {
  if (code === 'bad port') return 'Fetch and browsers refuse this port: start the sandbox on another one'
  if (code === 'UND_ERR_SOCKET') return `If it serves HTTPS, use ${origin.replace(/^http:/, 'https:')}`
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return `It serves HTTP: use ${origin.replace(/^https:/, 'http:')}`
  return code.startsWith('HPE_') ? 'Another program is there: say where the sandbox is with --url' : undefined
}

const REASONS: Readonly<Record<string, string>> = {
  'bad port': 'fetch and browsers refuse this port; let the service listen on another one',
  ECONNREFUSED: 'connection refused: no service listens there',
  ENOTFOUND: 'there is no such host',
  ECONNRESET: 'the connection was reset',
  // `fetch` asserts that the parts of a response are valid, such as its status.
  ERR_ASSERTION: 'its response is not HTTP',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it serves HTTP, not HTTPS',
  Z_DATA_ERROR: 'its body is not what its Content-Encoding says',
  UND_ERR_SOCKET: 'the connection was closed before a complete response arrived',
}
