import { plural } from '../../text/plural.ts'
import { ApiError } from '../api-error.ts'

/** The default limit for the state of all namespaces together, in bytes. */
export const DEFAULT_MAX_STATE = 256 * 1024 * 1024

const MIB = 1024 * 1024

/** The bytes of a place in a list. */
export const PLACE_BYTES = 8

/**
 * Called by a part of a world: about how many bytes a change adds, and how many only the history keeps from now on.
 * `added` is undefined if a list was replaced that other places may use: then everything is counted again.
 */
export type OnChange = (added: number | undefined, replaced: number) => void

interface Counting {
  /** Adds up the known sizes of everything that counts as state. `withUndone`: also of what only the undo of rewinds needs. */
  readonly count: (withUndone: boolean) => number
  /** Whether that list of pets or keys is used more than once, so that it stays when it is replaced in one place. */
  readonly isShared: (list: object) => boolean
  /** Drops state that only the undo of rewinds needs. */
  readonly makeRoom: () => void
}

const UNCOUNTED: Counting = { count: () => 0, isShared: () => false, makeRoom: () => {} }

/**
 * About how many bytes the pets, keys and fault rules of all namespaces take, with their copies in memory. Updated with
 * each change, without visiting all pets.
 */
export class StateSize {
  readonly #limit: number
  readonly #counting: Counting
  #bytes = 0
  /** False while commands are applied again that were confirmed: less of their state may be shared now. */
  isLimited = true
  /** False while a command is replayed that another version did not refuse: it may have counted less. */
  refuses = true
  /** The advice of the message when the limit is reached. */
  advice =
    'Reset a namespace or drop it, or start with a higher --max-state. With --memory, snapshots count too, until they are deleted.'

  constructor(limit = Infinity, counting: Partial<Counting> = {}) {
    this.#limit = limit
    this.#counting = { ...UNCOUNTED, ...counting }
  }

  get bytes(): number {
    return this.#bytes
  }

  isShared(list: object): boolean {
    return this.#counting.isShared(list)
  }

  add(bytes: number): void {
    this.#bytes += bytes
  }

  /** Called after pets or keys were replaced, a namespace was dropped, or a snapshot was saved or deleted. */
  recount(): void {
    this.#bytes = this.#counting.count(true)
  }

  /**
   * Throws a 503 ApiError if `added` more bytes would exceed the limit, which a start with more state may have passed.
   * `added` is called after each count, because it may depend on `isShared`.
   */
  check(added: () => number): void {
    if (!this.isLimited || this.#hasRoom(added())) return
    const { count, makeRoom } = this.#counting
    const least = count(false) + added()
    // State that the history has dropped since the last count is still counted.
    this.recount()
    if (this.#hasRoom(added())) return
    // Otherwise a change that is refused would cost the undo of rewinds.
    if (least <= this.#limit) {
      makeRoom()
      this.recount()
      return
    }
    if (this.refuses) throw this.refusal
  }

  get refusal(): ApiError {
    const most =
      this.#limit < MIB / 10
        ? plural(this.#limit, 'byte')
        : `${Math.round((this.#limit / MIB) * 10) / 10} MiB`
    const message = `The pets, keys and fault rules of all namespaces would take more than ${most} of memory, which is the limit. ${this.advice}`
    return new ApiError('service_unavailable', message, ['Retry-After', '60'])
  }

  #hasRoom(bytes: number): boolean {
    return bytes <= 0 || this.#bytes + bytes <= this.#limit
  }
}

/** The bytes of each object within a value. */
const OBJECT_BYTES = 40

/** About how many bytes the texts and objects in a value take. */
export function sizeOfValue(value: unknown): number {
  if (typeof value === 'string') return 2 * value.length
  return typeof value === 'object' && value !== null ? sizeOfMembers(value) : 0
}

/** `shared`: the member whose value is not counted, because many objects share it. */
export function sizeOfMembers(value: object, shared?: string): number {
  let bytes = 0
  for (const name in value) {
    if (name === shared) continue
    const member = (value as Readonly<Record<string, unknown>>)[name]
    bytes += sizeOfValue(member) + (typeof member === 'object' ? OBJECT_BYTES : 0)
  }
  return bytes
}
