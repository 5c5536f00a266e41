import type { RequestMatch, Times } from '../contract/generated/control.types.d.ts'
import type { Exchange } from '../domain/traffic/exchange.ts'
import { entryOf } from '../domain/traffic/journal-entry.ts'
import { matchInWords, timesInWords } from './expectation.ts'
import { bareKey, checkOperation } from './key-and-operation.ts'
import { agreement, type MatchResult } from './match.ts'
import type { OperationContext, ReplyOf } from './operation.ts'
import { jsonReply } from './reply.ts'
import { inSlices } from './slices.ts'

const NEAREST = 3

/** 200 where the client did it as often as expected; 409 where it did not, or where nobody can tell any more. */
export async function verifyRequests(
  context: OperationContext<'verifyRequests'>,
): Promise<ReplyOf<'verifyRequests'>> {
  const { match: sent, times = { atLeast: 1 } } = context.body
  checkOperation(sent.operationId, 'match.operationId', context.deps)
  const world = context.world()
  const match: RequestMatch = sent.key === undefined ? sent : { ...sent, key: bareKey(sent.key, world) }
  const gone = world.journal.dropped
  const judged = await inSlices(compare(world.journal.entries(), match))
  const count = (outcome: string) => judged.filter((entry) => entry.outcome === outcome).length
  const matched = count('match')
  const cut = count('unknown')
  const verdict = judge(times, matched, matched + gone + cut)
  if (verdict === 'holds') return jsonReply(200, { matched })
  const nearest = judged
    .reverse()
    .sort((a, b) => b.agreed - a.agreed)
    .slice(0, NEAREST)
    .map(({ exchange }) => entryOf(exchange))
  const found = `Expected ${timesInWords(times)} ${world.keys.secrets.maskBody(matchInWords(match))}; found ${matched}.`
  const message = verdict === 'fails' ? found : `${found} ${unsure(gone, cut)}`
  const code = 'verification_failed'
  return jsonReply(409, { code, message, status: 409, expected: times, actual: matched, nearest })
}

/** Each body is parsed for it, so a full journal takes its time. */
function* compare(exchanges: readonly Exchange[], match: RequestMatch) {
  const judged: (MatchResult & { readonly exchange: Exchange })[] = []
  for (const exchange of exchanges) {
    judged.push({ exchange, ...agreement(exchange, match) })
    yield
  }
  return judged
}

/** Whether the expectation holds for every count from `least` to `most`, for none, or for some. */
function judge(times: Times, least: number, most: number): 'holds' | 'fails' | 'unsure' {
  const low = times.exactly ?? times.atLeast ?? 0
  const high = times.exactly ?? times.atMost ?? Infinity
  if (least >= low && most <= high) return 'holds'
  return least > high || most < low ? 'fails' : 'unsure'
}

function unsure(gone: number, cut: number): string {
  const reasons = [
    ...(gone > 0 ? [`${gone} older entries of the journal are gone`] : []),
    ...(cut > 0 ? [`${cut} bodies were cut at 16 KiB`] : []),
  ]
  return `This cannot be told for certain: ${reasons.join(' and ')}. Reset the part requests before what is to be verified.`
}
