/** Who is to be told of what happens under which name. */
export class Listeners<Event> {
  readonly #listeners = new Map<string, Set<(event: Event) => void>>()

  /** Returns how to stop. */
  follow(name: string, listener: (event: Event) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(name) === listeners) this.#listeners.delete(name)
    }
  }

  tell(name: string, event: Event): void {
    for (const listener of this.#listeners.get(name) ?? []) listener(event)
  }
}
