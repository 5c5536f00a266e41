import type { JournalEntry, RequestMatch } from '../contract/generated/control.types.d.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { entryOf } from '../world/traffic/journal-entry.ts'
import type { ControlContext } from './context.ts'
import { agreement } from './match.ts'

const NEAREST = 3

/** The exchanges that come closest to a match, the closest first and of equal ones the newest. */
export async function nearest(
  { deps }: ControlContext,
  exchanges: readonly Exchange[],
  match: RequestMatch,
): Promise<readonly JournalEntry[]> {
  const compared = await deps.slices.run(compare(exchanges, match))
  return compared
    .reverse()
    .sort((a, b) => b.agreed - a.agreed)
    .slice(0, NEAREST)
    .map(({ exchange }) => entryOf(exchange))
}

/** Each body is parsed for it, so a full journal takes long. */
function* compare(exchanges: readonly Exchange[], match: RequestMatch) {
  const compared: { readonly exchange: Exchange; readonly agreed: number }[] = []
  for (const exchange of exchanges) {
    compared.push({ exchange, agreed: agreement(exchange, match) })
    yield
  }
  return compared
}
