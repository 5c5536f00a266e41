/** Why a connection failed, in words; `otherwise` for an unknown code. */
export function reasonFor(code: string | undefined, otherwise: string): string {
  if (!code) return otherwise
  if (UNTRUSTED.test(code))
    return `its certificate is not trusted (${code}); name a file with it, or with that of its authority, in the environment variable NODE_EXTRA_CA_CERTS`
  return REASONS[code] ?? otherwise
}

/** The codes of Node's errors for a certificate that it does not trust. */
export const UNTRUSTED = /CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE/

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused: no service listens there',
  ENOTFOUND: 'there is no such host',
  ECONNRESET: 'the connection was reset',
  // An assertion of `fetch`, such as that of a status.
  ERR_ASSERTION: 'its response is not HTTP',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
}
