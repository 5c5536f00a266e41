import { type Eventually, whenReady } from '../time/eventually.ts'
import { sizeOfTexts } from '../world/traffic/exchange.ts'
import type { Worlds } from '../world/worlds.ts'
import type { Answer, Call } from './call.ts'

/** About how many bytes a delayed request takes with its connection, in addition to its texts and bodies. */
const DELAYED_BYTES = 5 * 1024

type Delayed = Pick<Worlds, 'delayedBytes'>

/** Counts a request that is delayed; never less than before, since a rule and `--latency` can delay the same one. */
export function countDelayed(call: Call, worlds: Delayed, answer?: Answer): void {
  const { target, headers, body } = call.request
  const { text = '', reply } = answer ?? {}
  const bodies = (body?.length ?? 0) + 2 * text.length + (reply?.body?.length ?? 0)
  const bytes = Math.max(call.delayed, DELAYED_BYTES + target.length + sizeOfTexts(headers) + bodies)
  worlds.delayedBytes += bytes - call.delayed
  call.delayed = bytes
}

/** Counts the answer of a delayed request once it is made. */
export const counted = (call: Call, worlds: Delayed, answered: Eventually<Answer>): Eventually<Answer> =>
  whenReady(answered, (answer) => {
    countDelayed(call, worlds, answer)
    return answer
  })
