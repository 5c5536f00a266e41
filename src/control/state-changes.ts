import type { ResetPart } from '../contract/generated/control.types.d.ts'
import type { World } from '../domain/world/world.ts'
import { Listeners } from './listeners.ts'

/** Who follows which namespace's state. */
export class StateChanges {
  readonly #onChange: (world: World, changed: readonly ResetPart[]) => void
  readonly #listeners = new Listeners<readonly ResetPart[]>()

  /** `onChange`: told of every change in any world. */
  constructor(onChange: (world: World, changed: readonly ResetPart[]) => void = () => {}) {
    this.#onChange = onChange
  }

  /** Returns how to stop. */
  follow(namespace: string, listener: (changed: readonly ResetPart[]) => void): () => void {
    return this.#listeners.follow(namespace, listener)
  }

  tell(world: World, ...changed: readonly ResetPart[]): void {
    this.#onChange(world, changed)
    this.#listeners.tell(world.name, changed)
  }
}
