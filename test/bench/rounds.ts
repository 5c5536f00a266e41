import { PEERS } from './contenders.ts'
import type { Bench } from './context.ts'

/**
 * Measures everybody once a round, in turn (A B C A B C), so that what the machine does meanwhile meets all
 * alike. A peer that fails is left out; without the sandbox or the bare server there is nothing to tell.
 */
export async function inTurn<Entry extends { readonly name: string }, Figures>(
  { fail, progress }: Bench,
  what: string,
  rounds: number,
  entries: readonly Entry[],
  measure: (entry: Entry) => Promise<Figures>,
): Promise<ReadonlyMap<string, readonly Figures[]>> {
  const found = new Map<string, Figures[]>(entries.map(({ name }) => [name, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const entry of entries) {
      const figures = found.get(entry.name)
      if (!figures) continue
      progress(`${what}, round ${round} of ${rounds}: ${entry.name}`)
      try {
        figures.push(await measure(entry))
      } catch (error) {
        const text = `${entry.name}: ${(error as Error).message}`
        if (!PEERS.some(({ name }) => name === entry.name)) throw new Error(text)
        fail(`${what}: ${text}`)
        found.delete(entry.name)
      }
    }
  }
  return found
}
