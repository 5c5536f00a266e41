export interface ValidatedRequest {
  readonly method: string
  /** As it was sent, relative to the server: `/pets/1`. */
  readonly path: string
  /** Without the question mark; empty if there is none. */
  readonly query: string
  /** Flat: name, value, … */
  readonly headers: readonly string[]
  /** The complete body; empty if there is none. */
  readonly body: string
}

export interface ValidatedResponse {
  readonly status: number
  /** Flat: name, value, … */
  readonly headers: readonly string[]
  /** The complete body; empty if there is none. */
  readonly body: string
}

export const MESSAGE_PARTS = ['status', 'header', 'body', 'query', 'path'] as const
export type MessagePart = (typeof MESSAGE_PARTS)[number]

/** A violation of the contract by a request or a response. */
export interface ContractViolation {
  readonly where: MessagePart
  /** The path within that part: `0.id` in a body, the name of a parameter or header field. */
  readonly path?: string
  /** A complete sentence. */
  readonly message: string
}
