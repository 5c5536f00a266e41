import { closestMatch } from 'leven'

/** ` Did you mean …?` with the most similar candidate; empty if none is similar. */
export function didYouMean(given: string, candidates: readonly string[]): string {
  if (/^\d+$/.test(given)) return ''
  const lower = new Map(candidates.map((candidate) => [candidate.toLowerCase(), candidate]))
  const furthest = Math.min(3, Math.ceil(given.length / 2))
  const nearest = closestMatch(given.toLowerCase(), [...lower.keys()], { maxDistance: furthest })
  return nearest === undefined ? '' : ` Did you mean ${lower.get(nearest)}?`
}
