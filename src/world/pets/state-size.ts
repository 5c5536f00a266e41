import { plural } from '../../text/plural.ts'
import { ApiError } from '../api-error.ts'
import type { PetTable } from './collection.ts'

/** The default limit for the pets of all namespaces together, in bytes. */
export const DEFAULT_MAX_STATE = 256 * 1024 * 1024

const MIB = 1024 * 1024

/** About how many bytes the pets of all namespaces and of snapshots in memory take. Updated with each change, without visiting all pets. */
export class StateSize {
  readonly #limit: number
  readonly #count: () => number
  #bytes = 0
  /** The advice of the message when the limit is reached. */
  advice =
    'Reset a namespace or drop it, or start with a higher --max-state. With --memory, snapshots count too, until they are deleted.'
  /** Whether several collections have that table, so that it stays when one of them is replaced. */
  readonly isShared: (table: PetTable) => boolean

  /** `count`: adds up the known sizes of all tables of pets. */
  constructor(limit: number, count: () => number, isShared: (table: PetTable) => boolean = () => false) {
    this.#limit = limit
    this.#count = count
    this.isShared = isShared
  }

  get bytes(): number {
    return this.#bytes
  }

  add(bytes: number): void {
    this.#bytes += bytes
  }

  /** Called after pets were replaced, a namespace was dropped, or a snapshot was saved or deleted. */
  recount(): void {
    this.#bytes = this.#count()
  }

  /** Throws a 503 ApiError if `bytes` more would exceed the limit, which a start with more pets may have passed. */
  check(bytes: number): void {
    if (bytes <= 0 || this.#bytes + bytes <= this.#limit) return
    const most =
      this.#limit < MIB / 10
        ? plural(this.#limit, 'byte')
        : `${Math.round((this.#limit / MIB) * 10) / 10} MiB`
    const message = `The pets of all namespaces would take more than ${most} of memory, which is the limit. ${this.advice}`
    throw new ApiError('service_unavailable', message, ['Retry-After', '60'])
  }
}
