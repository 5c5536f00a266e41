import type { Has } from './defects.ts'

/** A response as text, so that nothing validates or rounds it. */
export interface Reply {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Refuse = (status: number, message: string) => Reply

interface StoredPet {
  /** The digits of an integer, as in categoryId. */
  readonly id: string
  readonly name: string
  readonly categoryId: string
  readonly status: string | undefined
}

const KNOWN = ['available', 'pending', 'sold']
const STATUSES = ['available', 'available', 'sold', 'pending', undefined]

/** The animals and the three operations of the faulty service. */
export class FaultyStore {
  readonly #has: Has
  readonly #refuse: Refuse
  readonly #count: number
  readonly #pets: StoredPet[]

  constructor(count: number, has: Has, refuse: Refuse) {
    this.#has = has
    this.#refuse = refuse
    this.#count = count
    this.#pets = Array.from({ length: count }, (_, i) => ({
      id: String(has('same-id-twice') && i === 1 ? 1 : i + 1),
      name: `${has('latin-1') ? 'Pét' : 'Pet'} ${i + 1}`,
      categoryId: String((i % 3) + 1),
      status: STATUSES[i % STATUSES.length],
    }))
  }

  list(query: URLSearchParams): Reply {
    const has = this.#has
    const text = query.get('limit') ?? (has('page-size-10') ? '10' : '20')
    const limit = Number(text)
    const highest = has('limit-100-refused') ? 99 : 100
    if (!/^\d+$/.test(text) || limit < 1 || limit > highest) return this.#refuse(400, 'bad limit')
    const status = query.get('status')
    if (status !== null && !KNOWN.includes(status)) return this.#refuse(400, 'bad status')
    if (has('limit-and-status-500') && status !== null && limit < 100) return this.#refuse(500, 'oops')
    const wanted = has('lists-cut') ? Math.min(limit, 6) : limit
    const most = has('limit-ignored') ? 20 : wanted + (has('limit-one-too-many') ? 1 : 0)
    const isWanted = (pet: StoredPet) =>
      (status === null && !(has('listed-with-status-only') && pet.status === undefined)) ||
      has('status-filter-ignored') ||
      (has('filter-ignored-with-limit') && limit < 100) ||
      (pet.status === status && !(has('filter-misses-one') && pet.id === '1'))
    const pets = has('not-listed') ? this.#pets.slice(0, this.#count) : this.#pets
    const page = has('limit-before-filter')
      ? pets.slice(0, most).filter(isWanted)
      : pets.filter(isWanted).slice(0, most)
    if (has('filtered-pet-twice') && status !== null) page.push(...page.slice(0, 1))
    const array = `[${page.map((pet) => this.#text(pet, has('digits-lost-in-lists') || undefined)).join(',')}]`
    const isWrapped = has('envelope') || (has('envelope-with-limit') && query.has('limit'))
    return { status: 200, body: isWrapped ? `{"data":${array}}` : array }
  }

  create(body: string): Reply {
    const refusal = this.#validate(body)
    if (refusal) {
      if (this.#has('refused-but-stored')) this.#store(body)
      return refusal
    }
    const pet = this.#store(body)
    if (this.#has('not-stored')) this.#pets.pop()
    const text = this.#text(pet)
    const sent = this.#has('created-without-id') ? text.replace(/"id":\d+,/, '') : text
    return { status: this.#has('post-200') ? 200 : 201, body: sent }
  }

  get(id: string): Reply {
    const wanted = this.#has('get-gives-another') ? '2' : id
    const found = this.#pets.find((pet) => pet.id === wanted)
    const pet = this.#has('unknown-pet-200') ? (found ?? this.#pets[0]) : found
    if (!pet) return this.#refuse(this.#has('unknown-pet-500') ? 500 : 404, 'no such pet')
    const text = this.#text(pet)
    if (this.#has('digits-500') && pet.categoryId.length > 15) return this.#refuse(500, 'oops')
    return { status: 200, body: this.#has('get-gives-array') ? `[${text}]` : text }
  }

  #store(body: string): StoredPet {
    const { name, status } = (tryParse(body) ?? {}) as Partial<StoredPet>
    const next = this.#has('id-again') ? '1' : String(BigInt(this.#pets.at(-1)?.id ?? 0) + 1n)
    const sent = digitsOf(body, 'id')
    const rounded = this.#has('client-id-rounded') && sent ? String(Number(sent)) : undefined
    const id = (this.#has('client-id-taken') && sent) || rounded || next
    const text = this.#has('quotes-escaped') ? String(name).replaceAll('"', '&quot;') : String(name)
    const letters = this.#has('letters-broken') ? Buffer.from(text).toString('latin1') : text
    const pet = { id, name: letters, categoryId: digitsOf(body, 'categoryId') ?? '0', status }
    this.#pets.push(pet)
    return pet
  }

  #validate(body: string): Reply | undefined {
    if (body === '' && this.#has('no-body-500')) return this.#refuse(500, 'oops')
    const value = tryParse(body)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return this.#refuse(400, 'no object')
    }
    const { name, categoryId, status } = value as Record<string, unknown>
    if (name === undefined && this.#has('missing-name-422')) return this.#refuse(422, 'no name')
    const isRight =
      typeof name === 'string' &&
      Number.isInteger(categoryId) &&
      this.#isInRange(digitsOf(body, 'categoryId') ?? '') &&
      this.#isStatus(status)
    return isRight ? undefined : this.#refuse(400, 'bad values')
  }

  #isInRange(digits: string): boolean {
    return this.#has('beyond-int64-accepted') || BigInt.asIntN(64, BigInt(digits)) === BigInt(digits)
  }

  #isStatus(status: unknown): boolean {
    if (status === undefined) return !this.#has('status-required')
    if (status === null && this.#has('null-status-accepted')) return true
    if (this.#has('capitals-accepted') && KNOWN.includes(String(status).toLowerCase())) return true
    return KNOWN.includes(status as string) || (this.#has('unknown-status-accepted') && status === 'lost')
  }

  #text({ id, name, categoryId, status }: StoredPet, isRounded = this.#has('digits-lost')): string {
    const has = this.#has
    const digits = isRounded ? String(Number(categoryId)) : categoryId
    const shown = has('status-unknown-value') && status === 'sold' ? 'gone' : status
    return `{${[
      `"id":${has('id-as-string') ? `"${id}"` : id}`,
      `"name":${JSON.stringify(name)}`,
      `"categoryId":${has('category-as-float') ? `${digits}.5` : digits}`,
      ...(shown === undefined ? [] : [`"status":${has('status-as-number') ? 1 : JSON.stringify(shown)}`]),
    ].join(',')}}`
  }
}

const digitsOf = (body: string, name: string): string | undefined =>
  new RegExp(`"${name}":(-?\\d+)`).exec(body)?.[1]

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
