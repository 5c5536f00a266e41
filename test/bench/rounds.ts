import { PEERS } from './contenders.ts'
import type { Bench } from './context.ts'

/**
 * Measures all entries in each round (A B C A B C), so that changes of the machine affect all of them. A peer that fails
 * is omitted; a failure of the sandbox or of the bare server ends the measurement.
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
