/** The subscribers of events, by name. */
export class Subscribers<Event> {
  readonly #subscribers = new Map<string, Set<(event: Event) => void>>()

  /** Returns how to unsubscribe. */
  subscribe(name: string, subscriber: (event: Event) => void): () => void {
    const subscribers = this.#subscribers.get(name) ?? new Set()
    this.#subscribers.set(name, subscribers.add(subscriber))
    return () => {
      subscribers.delete(subscriber)
      if (subscribers.size === 0 && this.#subscribers.get(name) === subscribers)
        this.#subscribers.delete(name)
    }
  }

  notify(name: string, event: Event): void {
    for (const subscriber of this.#subscribers.get(name) ?? []) subscriber(event)
  }
}
