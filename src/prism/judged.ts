export interface JudgedRequest {
  readonly method: string
  /** As it was sent, relative to the server: `/pets/1`. */
  readonly path: string
  /** Without the question mark; empty where there is none. */
  readonly query: string
  /** Flat: name, value, … */
  readonly headers: readonly string[]
  /** The whole of it; empty where there is none. */
  readonly body: string
}

export interface JudgedResponse {
  readonly status: number
  /** Flat: name, value, … */
  readonly headers: readonly string[]
  /** The whole of it; empty where there is none. */
  readonly body: string
}

export const PLACES = ['status', 'header', 'body', 'query', 'path'] as const
export type Place = (typeof PLACES)[number]

/** One thing in which a request or a response does not hold to its contract. */
export interface Violation {
  readonly where: Place
  /** Which part of that place: `0.id` in a body, the name of a parameter or header field. */
  readonly path?: string
  /** A whole sentence for people. */
  readonly message: string
}
