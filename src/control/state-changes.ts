import type { ResetPart } from '../contract/generated/control.types.d.ts'
import { RESET_PARTS } from '../domain/world/reset.ts'
import type { World } from '../domain/world/world.ts'
import { Listeners } from './listeners.ts'

export interface StateChange {
  readonly changed: readonly ResetPart[]
  /** The point that the world went back to. */
  readonly to?: string
}

/** Who follows which namespace's state. */
export class StateChanges {
  readonly #onChange: (world: World, changed: readonly ResetPart[]) => void
  readonly #listeners = new Listeners<StateChange>()

  /** `onChange`: told of every change in any world. */
  constructor(onChange: (world: World, changed: readonly ResetPart[]) => void = () => {}) {
    this.#onChange = onChange
  }

  /** Returns how to stop. */
  follow(namespace: string, listener: (change: StateChange) => void): () => void {
    return this.#listeners.follow(namespace, listener)
  }

  tell(world: World, ...changed: readonly ResetPart[]): void {
    this.#onChange(world, changed)
    world.endCall()
    this.#listeners.tell(world.name, { changed })
  }

  /** The world went back to a point. */
  tellRewind(world: World, to: string): void {
    this.#onChange(world, RESET_PARTS)
    this.#listeners.tell(world.name, { changed: RESET_PARTS, to })
  }
}
