import type { RequestMatch, Times } from '../contract/generated/control.types.d.ts'
import { stringifyJson } from '../contract/openapi/json.ts'
import { shorten } from '../text/listed.ts'
import { maskKey } from '../world/keys/secrets.ts'

/** `exactly 1 request`, `at least 1 and at most 3 requests`. */
export function timesInWords({ exactly, atLeast, atMost }: Times): string {
  const bounds = [
    ...(exactly === undefined ? [] : [`exactly ${exactly}`]),
    ...(atLeast === undefined ? [] : [`at least ${atLeast}`]),
    ...(atMost === undefined ? [] : [`at most ${atMost}`]),
  ]
  return `${bounds.join(' and ')} ${(exactly ?? atMost ?? atLeast) === 1 ? 'request' : 'requests'}`
}

/** `with operationId createPet, status 201, body {"name":"Kit"}`; keys masked. */
export function matchInWords(match: RequestMatch): string {
  const members = Object.entries(match).map(([name, value]) => {
    if (name === 'key') return `key ${maskKey(String(value))}`
    return `${name} ${shorten(name === 'body' ? stringifyJson(value) : String(value), 200)}`
  })
  return members.length > 0 ? `with ${members.join(', ')}` : 'of any kind'
}
