import { ApiError } from '../../world/api-error.ts'

/** The share of each status, in percent or any other weights; a missing one is zero. */
export type Shares = Readonly<Record<string, number>>

const SHARE = /^([^=]+)=\s*(\d{1,15}(?:\.\d+)?(?:e-\d+)?)$/

/**
 * Reads `available=60,pending=30,sold=10`. `statuses`: the known ones, if they are known. Throws an Error whose message is
 * for users.
 */
export function parseShares(text: string, statuses?: readonly string[]): Shares {
  const shares = new Map<string, number>()
  for (const part of text.split(',')) {
    const [, name = '', share] = SHARE.exec(part.trim()) ?? []
    const status = name.trim()
    if (status === '')
      throw new Error(`"${part.trim()}" is not a valid share; use available=60,pending=30,sold=10`)
    if (shares.has(status)) throw new Error(`the share of ${status} is given twice`)
    shares.set(status, Number(share))
  }
  if ([...shares.values()].every((share) => share === 0))
    throw new Error('at least one share must be more than 0')
  const read = Object.fromEntries(shares)
  if (statuses) checkStatuses(read, statuses)
  return read
}

/** Throws an ApiError for a share of another status. */
function checkStatuses(shares: Shares, statuses: readonly string[]): void {
  const unknown = Object.keys(shares).find((name) => !statuses.includes(name))
  if (unknown === undefined) return
  const known = statuses.join(', ')
  throw new ApiError('invalid_body', `status.${unknown} is not known here; known: ${known}`)
}

/**
 * `count` statuses in exactly these shares, by the largest remainder method (of equal remainders the first of `statuses`
 * wins). The order is random; `random` returns numbers in [0, 1). Throws an ApiError for a share of another status.
 */
export function dealStatuses(
  count: number,
  shares: Shares,
  random: () => number,
  statuses: readonly string[] = Object.keys(shares),
): string[] {
  checkStatuses(shares, statuses)
  const total = statuses.reduce((sum, status) => sum + (shares[status] ?? 0), 0)
  const quotas = statuses.map((status) => {
    const quota = (count * (shares[status] ?? 0)) / total
    return { status, whole: Math.floor(quota), rest: quota - Math.floor(quota) }
  })
  const left = count - quotas.reduce((sum, { whole }) => sum + whole, 0)
  const byRest = quotas.toSorted((a, b) => b.rest - a.rest)
  const dealt = byRest.flatMap(({ status, whole }, rank) =>
    new Array<string>(whole + (rank < left ? 1 : 0)).fill(status),
  )
  return shuffle(dealt, random)
}

/** The Fisher-Yates shuffle. */
function shuffle<T>(items: T[], random: () => number): T[] {
  for (let last = items.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[items[last], items[other]] = [items[other] as T, items[last] as T]
  }
  return items
}
