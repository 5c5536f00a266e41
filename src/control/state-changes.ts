import type { PointView, ResetPart } from '../contract/generated/control.types.d.ts'
import { RESET_PARTS } from '../world/reset.ts'
import type { World } from '../world/world.ts'

type Subscriber<Event> = (event: Event, name: string) => void

/** The subscribers of events, by name; `*` subscribes to those of every name. */
export class Subscribers<Event> {
  readonly #subscribers = new Map<string, Set<Subscriber<Event>>>()

  /** The number of all subscribers; calls that wait for a request are among those of exchanges. */
  get size(): number {
    return [...this.#subscribers.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /** Returns a function that unsubscribes. */
  subscribe(name: string, subscriber: Subscriber<Event>): () => void {
    const subscribers = this.#subscribers.get(name) ?? new Set()
    this.#subscribers.set(name, subscribers.add(subscriber))
    return () => {
      subscribers.delete(subscriber)
      if (subscribers.size === 0 && this.#subscribers.get(name) === subscribers)
        this.#subscribers.delete(name)
    }
  }

  emit(name: string, event: Event): void {
    for (const each of [name, '*'])
      for (const subscriber of this.#subscribers.get(each) ?? []) subscriber(event, name)
  }
}

export interface StateChange {
  readonly changed: readonly ResetPart[]
  /** The id of the point to which the world was rewound. */
  readonly to?: string
  /** The control call that changed the world. */
  readonly point?: PointView | undefined
}

/** Notifies the subscribers of the state of each namespace. */
export class StateChanges extends Subscribers<StateChange> {
  readonly #onChange: (world: World, changed: readonly ResetPart[]) => void

  /** `onChange`: called with every change in any world. */
  constructor(onChange: (world: World, changed: readonly ResetPart[]) => void = () => {}) {
    super()
    this.#onChange = onChange
  }

  /** The control call in progress has changed these parts of a world: it ends, and is a point of the history. */
  notify(world: World, ...changed: readonly ResetPart[]): void {
    this.#onChange(world, changed)
    this.emit(world.name, { changed, point: world.endCall() })
  }

  /** The world was rewound to a point. */
  notifyRewind(world: World, to: string): void {
    this.#onChange(world, RESET_PARTS)
    this.emit(world.name, { changed: RESET_PARTS, to })
  }
}
