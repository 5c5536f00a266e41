import { statusWord } from '../../text/status-word.ts'
import type { Exchange } from '../../world/traffic/exchange.ts'

/** A distinct violation of the contract: its count, and its first exchange. */
export interface ViolationCount {
  readonly operation: string
  readonly message: string
  readonly count: number
  /** The first exchange with it: `req_000001 GET /v1/pets 200`. */
  readonly first: string
}

/** The limit of distinct violations; further ones are only counted. */
const MAX = 1000

/** Counts the violations of the contract in exchanges. */
export class Violations {
  readonly #known = new Map<string, { operation: string; message: string; count: number; first: string }>()
  #total = 0

  get total(): number {
    return this.#total
  }

  record(exchange: Exchange): void {
    for (const violation of exchange.violations ?? []) {
      this.#total++
      const operation = exchange.operationId ?? exchange.method
      const message = exchange.secrets.mask(violation)
      const known = this.#known.get(`${operation} ${message}`)
      if (known) known.count++
      else if (this.#known.size < MAX)
        this.#known.set(`${operation} ${message}`, {
          operation,
          message,
          count: 1,
          first: exchangeLine(exchange),
        })
    }
  }

  /** In the order of their first appearance. */
  list(): readonly ViolationCount[] {
    return [...this.#known.values()]
  }
}

/** `req_000001 GET /v1/pets?limit=1 200`; keys masked. */
export function exchangeLine({ id, method, path, query, status, secrets }: Exchange): string {
  const target = query ? `${path}?${query}` : path
  return `${id} ${method} ${secrets.mask(target)} ${statusWord(status)}`
}
