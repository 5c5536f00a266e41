import { MINUTE } from './instant.ts'

const REMEMBERED = 10_000

/**
 * Notices what looks like a repetition: the same key creating with an equal body, or an equal
 * Idempotency-Key, within 60 s. It remembers the last 10,000 only.
 */
export class Duplicates {
  readonly #seen = new Map<string, { readonly id: string; readonly at: number }>()

  /** The id of the earlier exchange that this one may repeat. */
  note(
    id: string,
    at: number,
    key: string,
    body: string,
    idempotencyKey: string | undefined,
  ): string | undefined {
    const byBody = this.#noteOne(`${key} ${body.length} ${digest(body, 1)} ${digest(body, 2)}`, id, at)
    const byKey = idempotencyKey && this.#noteOne(`${key} = ${idempotencyKey}`, id, at)
    return byKey || byBody
  }

  clear(): void {
    this.#seen.clear()
  }

  #noteOne(mark: string, id: string, at: number): string | undefined {
    const before = this.#seen.get(mark)
    this.#seen.delete(mark)
    this.#seen.set(mark, { id, at })
    if (this.#seen.size > REMEMBERED) this.#seen.delete(this.#seen.keys().next().value as string)
    return before && Math.abs(at - before.at) < MINUTE ? before.id : undefined
  }
}

function digest(text: string, seed: number): number {
  let value = Math.imul(0x811c9dc5, seed)
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193 + seed * 2)
  return value
}
