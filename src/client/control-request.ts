import { stringifyJson } from '../openapi/json.ts'

export interface ControlRequest {
  /** Members without a value are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  /** application/json unless given. */
  readonly accept?: string
  /** How long it waits by its own will before it answers, in milliseconds. */
  readonly waits?: number
}

/** A call of the control API as `fetch` takes it; `origin` is empty for a sandbox in this process. */
export function controlRequest(
  origin: string,
  token: string | undefined,
  method: string,
  path: string,
  { query = {}, body, accept = 'application/json' }: ControlRequest,
): [string, RequestInit] {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  const init: RequestInit = {
    method,
    headers: {
      accept,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: stringifyJson(body) }),
  }
  return [`${origin}/_sandbox${path}?${search}`, init]
}
