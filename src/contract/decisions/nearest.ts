import { closestMatch } from 'leven'

/**
 * ` Did you mean …?` with the most similar candidate; empty if none is similar. A third of the letters may be wrong, or
 * their order: with more, `mock` would mean `mcp`, and `serve` `seed`.
 */
export function didYouMean(given: string, candidates: readonly string[]): string {
  if (/^\d+$/.test(given)) return ''
  const lower = new Map(candidates.map((candidate) => [candidate.toLowerCase(), candidate]))
  const [wrong, names] = [given.toLowerCase(), [...lower.keys()]]
  const furthest = Math.min(3, Math.max(1, Math.floor(wrong.replace(/^-+/, '').length / 3)))
  const nearest =
    closestMatch(wrong, names, { maxDistance: furthest }) ??
    names.find((name) => lettersOf(name) === lettersOf(wrong))
  return nearest === undefined ? '' : ` Did you mean ${lower.get(nearest)}?`
}

const lettersOf = (name: string): string => [...name].sort().join('')
