import type { Has } from './defects.ts'

type Headers = Readonly<Record<string, string>>

/** The window of the faulty service, which has one key. */
export class FaultyLimits {
  readonly #has: Has
  readonly #limit: number
  readonly #seconds: number
  #ends = 0
  #used = 0

  constructor(limit: number, seconds: number, has: Has) {
    this.#has = has
    this.#limit = limit
    this.#seconds = seconds
  }

  /** Charges a request at this time; returns false if the window is used up. */
  charge(now: number): boolean {
    if (now >= this.#ends) {
      this.#ends = now + this.#seconds * 1000
      this.#used = 0
    }
    const off = (this.#has('limit-off-by-one') ? 1 : 0) - (this.#has('limit-below-promise') ? 5 : 0)
    if (this.#used >= this.#limit + off && !this.#has('no-429')) return false
    this.#used += 1
    return true
  }

  retryAfter(now: number): Headers {
    if (this.#has('no-retry-after')) return {}
    if (this.#has('retry-after-as-timestamp')) return { 'Retry-After': this.#reset(now) }
    if (this.#has('retry-after-in-milliseconds')) return { 'Retry-After': String(this.#ends - now) }
    const seconds = this.#has('retry-after-too-short') ? 1 : Math.ceil((this.#ends - now) / 1000)
    return { 'Retry-After': String(seconds) }
  }

  headers(status: number, now: number): Headers {
    if (status >= 400 && this.#has('no-limits-on-errors')) return {}
    return {
      'X-RateLimit-Limit': this.#has('limit-zero') ? '0' : String(this.#stated(status)),
      ...(!this.#has('no-remaining') && { 'X-RateLimit-Remaining': String(this.#remaining(status)) }),
      'X-RateLimit-Reset': this.#reset(now),
    }
  }

  #stated(status: number): number {
    return this.#has('limit-goes-down') ? Math.max(1, this.#remaining(status)) : this.#limit
  }

  #remaining(status: number): number {
    if (this.#has('remaining-stands')) return this.#limit - 1
    if (this.#has('remaining-on-429') && status === 429) return 5
    const used = this.#used * (this.#has('remaining-by-two') ? 2 : 1)
    return Math.max(0, this.#limit - used + (this.#has('remaining-off-by-one') ? 1 : 0))
  }

  #reset(now: number): string {
    if (this.#has('reset-as-delay')) return '60'
    const seconds = Math.ceil(Math.max(this.#ends, now + 1000) / 1000)
    return String(this.#has('reset-in-milliseconds') ? seconds * 1000 : seconds)
  }
}
