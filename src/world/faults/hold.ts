import type { HoldView } from '../../contract/generated/control.types.d.ts'
import { inThousands } from '../../text/in-thousands.ts'
import { ApiError } from '../api-error.ts'
import { Value } from '../part.ts'
import { type FaultSubject, matchesFault } from './fault.ts'

export const DEFAULT_HOLD_TIMEOUT = '10s'

/** A request that is being held. */
export interface Hold extends Omit<HoldView, 'operationId' | 'since'> {
  readonly operationId: string | undefined
  /** When it began, by the clock of its namespace, in milliseconds since the epoch. */
  readonly since: number
}

/** The limit of held requests in a namespace. */
export const MAX_HOLDS = 1000

/** Lets a held request continue. `sent` resolves when the answer that ended the hold was sent: the held one follows it. */
type Resume = (sent?: Promise<void>) => void

/**
 * The requests of a namespace that are being held. Its value is only the number of holds ever made: the holds themselves
 * belong to requests in progress.
 */
export class Holds extends Value<number> {
  /** By hold, oldest first: the function that lets its request continue. */
  readonly #holds = new Map<Hold, Resume>()

  constructor() {
    super(0)
  }

  get list(): readonly Hold[] {
    return [...this.#holds.keys()]
  }

  get isEmpty(): boolean {
    return this.#holds.size === 0
  }

  /** Throws a 503 ApiError if there is no room for another one. */
  check(): void {
    if (this.#holds.size < MAX_HOLDS) return
    const message = `There are ${inThousands(MAX_HOLDS)} held requests here, which is the limit. Release some with petstore-sandbox holds release <id> or POST /_sandbox/holds/{id}/release.`
    throw new ApiError('service_unavailable', message)
  }

  /** `resume`: called when the hold is released. */
  add(input: Omit<Hold, 'id'>, resume: Resume): Hold {
    const hold: Hold = { id: `hold_${++this.value}`, ...input }
    this.#holds.set(hold, resume)
    return hold
  }

  /** Ends a hold and lets its request continue; undefined if there is none. */
  release(id: string): Hold | undefined {
    const hold = this.list.find((each) => each.id === id)
    if (hold) this.#end(hold)
    return hold
  }

  /** Ends the holds that wait for the answer to this request, except its own. `request`: its id. */
  answered(subject: FaultSubject, request: string, sent: Promise<void>): void {
    const matches = (hold: Hold) =>
      hold.until !== 'released' && hold.request !== request && matchesFault(hold.until, subject)
    this.releaseWhere(matches, sent)
  }

  releaseWhere(matches: (hold: Hold) => boolean, sent?: Promise<void>): void {
    for (const hold of this.list.filter(matches)) this.#end(hold, sent)
  }

  /** Releases all holds; ids begin again. */
  reset(): void {
    this.releaseWhere(() => true)
    this.value = 0
  }

  /** Ends a hold whose time is over. */
  expire(hold: Hold): void {
    this.#holds.delete(hold)
  }

  #end(hold: Hold, sent?: Promise<void>): void {
    const resume = this.#holds.get(hold)
    this.expire(hold)
    resume?.(sent)
  }
}
