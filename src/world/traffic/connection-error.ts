/** Why a connection failed, in words; `otherwise` for an unknown code. */
export const reasonFor = (code: string | undefined, otherwise: string): string =>
  (code && REASONS[code]) || otherwise

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused: no service listens there',
  ENOTFOUND: 'there is no such host',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
}
