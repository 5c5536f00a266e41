import { isObject, jsonOf, stringifyJson } from '../../contract/openapi/json.ts'
import { pathOfDifference } from '../../past/difference.ts'
import type { Int64 } from '../../world/pets/pet.ts'

const isId = (value: unknown): value is Int64 => typeof value === 'number' || typeof value === 'bigint'

/** Maps the ids of a recording to those of a service. It learns them from the pets in replies. */
export class ServiceIds {
  readonly #ids = new Map<string, Int64>()
  readonly #used = new Set<string>()

  /** Learns from the JSON of two replies to the same request: from a created pet, or from the pets of a list. */
  learn(was: unknown, is: unknown, hasCreated: boolean): void {
    if (hasCreated) {
      if (isObject(was) && isObject(is) && isId(was.id) && isId(is.id)) this.#set(was.id, is.id)
    } else if (Array.isArray(was) && Array.isArray(is)) {
      for (const [i, pet] of was.entries()) this.#learnListed(pet, is[i])
    }
  }

  /**
   * Learns from lists: no recorded request created the initial pets. Pets correspond if their other fields are equal, as
   * far as both have them.
   */
  #learnListed(was: unknown, is: unknown): void {
    if (!isObject(was) || !isObject(is) || !isId(was.id) || !isId(is.id)) return
    if (this.#ids.has(`${was.id}`) || this.#used.has(`${is.id}`)) return
    if (!pathOfDifference({ ...is, ...was, id: is.id }, { ...was, ...is }, '$')) this.#set(was.id, is.id)
  }

  #set(was: Int64, is: Int64): void {
    this.#ids.set(`${was}`, is)
    this.#used.add(`${is}`)
  }

  /** A path after /v1 with the id of the service. */
  path(path: string): string {
    return path.replace(/(?<=^\/pets\/)\d+(?=[/?]|$)/, (id) => `${this.#ids.get(id) ?? id}`)
  }

  /** A request body, changed only if it contains an id that differs. */
  body(text: string): string {
    if (this.#ids.size === 0 || !text.includes('"id"')) return text
    const value = jsonOf(text)
    const expected = this.expected(value)
    return expected === value ? text : stringifyJson(expected)
  }

  /** The JSON of a recorded reply with the ids of the service. */
  expected(value: unknown): unknown {
    return Array.isArray(value) ? value.map((item) => this.#renamed(item)) : this.#renamed(value)
  }

  #renamed(value: unknown): unknown {
    if (!isObject(value) || !isId(value.id)) return value
    const id = this.#ids.get(`${value.id}`)
    return id === undefined || id === value.id ? value : { ...value, id }
  }
}
