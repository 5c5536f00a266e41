import type { ResetPart } from '../contract/generated/control.types.d.ts'
import type { World } from '../domain/world/world.ts'

type Listener = (changed: readonly ResetPart[]) => void

/** Who follows which namespace's state. */
export class StateChanges {
  readonly #onChange: (world: World, changed: readonly ResetPart[]) => void
  readonly #listeners = new Map<string, Set<Listener>>()

  /** `onChange`: told of every change in any world. */
  constructor(onChange: (world: World, changed: readonly ResetPart[]) => void = () => {}) {
    this.#onChange = onChange
  }

  /** Returns how to stop. */
  follow(namespace: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(namespace) ?? new Set()
    this.#listeners.set(namespace, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(namespace) === listeners)
        this.#listeners.delete(namespace)
    }
  }

  tell(world: World, ...changed: readonly ResetPart[]): void {
    this.#onChange(world, changed)
    for (const listener of this.#listeners.get(world.name) ?? []) listener(changed)
  }
}
