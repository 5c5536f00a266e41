import { PET_STATUSES, type PetStatus } from '../../world/pets/pet.ts'

/** The share of each status, in percent or any other weights; a missing one is zero. */
export type Shares = Readonly<Partial<Record<PetStatus, number>>>

const SHARE = /^(\w+)\s*=\s*(\d{1,15}(?:\.\d+)?)$/

/** Reads `available=60,pending=30,sold=10`. Throws an Error whose message is for users. */
export function parseShares(text: string): Shares {
  const shares: Partial<Record<PetStatus, number>> = {}
  for (const part of text.split(',')) {
    const [, name, share] = SHARE.exec(part.trim()) ?? []
    if (name === undefined)
      throw new Error(`"${part.trim()}" is not a valid share; use available=60,pending=30,sold=10`)
    const status = PET_STATUSES.find((known) => known === name)
    if (!status) throw new Error(`"${name}" is not a status: ${PET_STATUSES.join(', ')}`)
    if (shares[status] !== undefined) throw new Error(`the share of ${status} is given twice`)
    shares[status] = Number(share)
  }
  if (Object.values(shares).every((share) => share === 0))
    throw new Error('at least one share must be more than 0')
  return shares
}

/**
 * `count` statuses in exactly these shares, by the largest remainder method (of equal remainders the first wins). The
 * order is random; `random` returns numbers in [0, 1).
 */
export function dealStatuses(count: number, shares: Shares, random: () => number): PetStatus[] {
  const total = PET_STATUSES.reduce((sum, status) => sum + (shares[status] ?? 0), 0)
  const quotas = PET_STATUSES.map((status) => {
    const quota = (count * (shares[status] ?? 0)) / total
    return { status, whole: Math.floor(quota), rest: quota - Math.floor(quota) }
  })
  const left = count - quotas.reduce((sum, { whole }) => sum + whole, 0)
  const byRest = quotas.toSorted((a, b) => b.rest - a.rest)
  const dealt = byRest.flatMap(({ status, whole }, rank) =>
    new Array<PetStatus>(whole + (rank < left ? 1 : 0)).fill(status),
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
