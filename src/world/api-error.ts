/** Every error that the sandbox can answer with: its code and its HTTP status. A code never changes its meaning. */
export const API_ERRORS = {
  invalid_request: 400,
  invalid_json: 400,
  invalid_body: 400,
  invalid_parameter: 400,
  // Before the others of its status: a forced 401 has this code.
  invalid_api_key: 401,
  missing_api_key: 401,
  invalid_control_token: 401,
  control_forbidden: 403,
  pet_not_found: 404,
  route_not_found: 404,
  not_found: 404,
  history_gone: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  verification_failed: 409,
  not_received: 409,
  endpoint_removed: 410,
  body_too_large: 413,
  unsupported_media_type: 415,
  rate_limit_exceeded: 429,
  api_key_banned: 429,
  headers_too_large: 431,
  internal_error: 500,
  not_implemented: 501,
  bad_gateway: 502,
  service_unavailable: 503,
  gateway_timeout: 504,
} as const
export type ApiErrorCode = keyof typeof API_ERRORS

/**
 * The refusal of a request: its code, its message and the header fields of its response. It is not an `Error`, since nobody
 * sees its stack, and collecting one would take longer than all checks of a request.
 */
export class ApiError {
  readonly name = 'ApiError'
  readonly code: ApiErrorCode
  readonly message: string
  readonly status: number
  /** Header fields that the response must have, flat: name, value, … */
  readonly headers: readonly string[]
  constructor(
    code: ApiErrorCode,
    message: string,
    headers: readonly string[] = API_ERRORS[code] === 503 ? ['Retry-After', '1'] : [],
    status: number = API_ERRORS[code],
  ) {
    this.code = code
    this.message = message
    this.status = status
    this.headers = headers
  }
}

/** The refusal of a method that a path does not have. `allow`: those that it has. */
export const methodNotAllowed = (method: string, allow: string): ApiError =>
  new ApiError('method_not_allowed', `${method} is not allowed here; allowed: ${allow}.`, ['Allow', allow])

export const undecodablePath = (): ApiError =>
  new ApiError('invalid_request', 'The path contains a percent-encoding that cannot be decoded.')

/** The refusal after an unexpected failure. Its cause is only logged. */
export const internalError = (): ApiError =>
  new ApiError('internal_error', 'The sandbox failed to answer; its log says why.')
