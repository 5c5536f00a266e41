import { type Eventually, whenReady } from '../time/eventually.ts'
import { ApiError } from '../world/api-error.ts'
import { sizeOfTexts } from '../world/traffic/exchange.ts'
import type { Worlds } from '../world/worlds.ts'
import type { Answer, Call } from './call.ts'

/** The limit for the delayed requests of all namespaces, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024

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

/**
 * The refusal of every request while the delayed ones take all their memory; undefined if there is room. It is no part of
 * the past: what was carried out there never depends on other namespaces.
 */
export const noRoomForDelayed = ({ delayedBytes }: Delayed): ApiError | undefined =>
  delayedBytes < MAX_BYTES
    ? undefined
    : new ApiError(
        'service_unavailable',
        'The delayed requests of all namespaces take 64 MiB of memory, which is the limit. Wait until some are answered, or start the sandbox again with shorter delays.',
      )
