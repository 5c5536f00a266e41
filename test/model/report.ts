/** The counts of a report, as the documentation describes them. */
export class Report {
  private requests = 0
  private coverage: Record<string, Record<string, number>> = {}
  private rateLimited = 0
  private early = 0
  private bans = 0
  private invalid = 0
  /** Undefined after a refused request with ignored inputs: the documentation leaves open whether those count. */
  private ignored: number | undefined = 0
  private duplicates = 0
  private retryAt = new Map<string, number>()
  private created = new Map<string, number>()

  count({
    operationId,
    status,
    isInvalid,
  }: {
    operationId?: string
    status: number
    isInvalid: boolean
  }): void {
    this.requests++
    if (isInvalid) this.invalid++
    if (operationId === undefined) return
    const statuses = this.coverage[operationId] ?? {}
    this.coverage[operationId] = statuses
    statuses[status] = (statuses[status] ?? 0) + 1
  }

  countRetry(key: string, now: number): void {
    if (now < (this.retryAt.get(key) ?? now)) this.early++
  }

  refused(
    key: string,
    retryAt: number,
    { isWindow, isNewBan }: { isWindow: boolean; isNewBan: boolean },
  ): void {
    this.retryAt.set(key, retryAt)
    if (isWindow) this.rateLimited++
    if (isNewBan) this.bans++
  }

  /** Ends all waits, or that of a key. */
  forgetRetries(key?: string): void {
    if (key === undefined) this.retryAt.clear()
    else this.retryAt.delete(key)
  }

  ignores(inputs: number): void {
    if (this.ignored !== undefined) this.ignored += inputs
  }

  mayIgnore(inputs: number): void {
    if (inputs > 0) this.ignored = undefined
  }

  /** Counts two createPet of one key with equal bodies as a duplicate if their times differ by less than 60 s. */
  creates(key: string, body: string, now: number): void {
    const last = this.created.get(`${key} ${body}`)
    if (last !== undefined && Math.abs(now - last) < 60_000) this.duplicates++
    this.created.set(`${key} ${body}`, now)
  }

  clockMovedBack(): void {
    this.retryAt = new Map()
  }

  reset(): void {
    Object.assign(this, new Report())
  }

  expected(changesPets: boolean): Record<string, unknown> {
    const described = [
      'listPets',
      'createPet',
      ...(changesPets ? ['replacePet', 'updatePet', 'deletePet'] : []),
    ]
    const uncovered = described.filter((operation) => !(operation in this.coverage))
    return {
      requests: this.requests,
      coverage: this.coverage,
      uncovered,
      rateLimited: this.rateLimited,
      earlyRetries: this.early,
      bans: this.bans,
      invalidRequests: this.invalid,
      ...(this.ignored !== undefined && { ignoredInputs: this.ignored }),
      possibleDuplicates: this.duplicates,
      serverErrors: 0,
    }
  }
}
