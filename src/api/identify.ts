import { ApiError } from '../world/api-error.ts'
import { bearerToken, splitToken } from '../world/keys/bearer-token.ts'
import { builtInKey, NAMESPACE_FORM } from '../world/keys/key.ts'
import { fieldValues } from '../world/traffic/message.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_NAMESPACE, type Worlds } from '../world/worlds.ts'
import type { Call } from './call.ts'

const CHALLENGE = 'Bearer realm="petstore-sandbox"'
const MISSING = 'Send an API key as "Authorization: Bearer <key>".'
const INVALID = 'The API key is not valid.'

/** The challenge of a 401 (RFC 6750, section 3.1): it names an error only where a key was sent. */
export const challenge = (code: 'missing_api_key' | 'invalid_api_key'): readonly string[] => [
  'WWW-Authenticate',
  code === 'missing_api_key'
    ? CHALLENGE
    : `${CHALLENGE}, error="invalid_token", error_description="The API key is not valid"`,
]

/**
 * Finds the caller and its namespace; refuses a missing or an invalid key with 401.
 */
export function identify(call: Call, worlds: Pick<Worlds, 'keysOf' | 'nowOf' | 'get' | 'ofRefused'>): void {
  const sent = readKey(call.request.headers)
  call.sentKey = sent.key
  if (sent.key === undefined && sent.isSingle) throw refusal('missing_api_key', MISSING)
  const { key = '', namespace = DEFAULT_NAMESPACE } = sent
  const plan = planOf(sent, worlds, call.arrived)
  if (!plan) {
    // The 401 of a key that names a namespace belongs to that namespace: its journal, report and clock.
    if (sent.key !== undefined && NAMESPACE_FORM.test(namespace))
      enter(call, worlds.ofRefused(namespace, call.arrived))
    throw refusal('invalid_api_key', INVALID)
  }
  enter(call, worlds.get(namespace, call.arrived))
  call.caller = { key, plan, trigger: builtInKey(key) }
}

function enter(call: Call, world: World): void {
  call.world = world
  call.now = world.now(call.arrived)
}

/** Whether the header of a request has a valid key. */
export const isAdmitted = (headers: readonly string[], worlds: Worlds, arrived: number): boolean =>
  planOf(readKey(headers), worlds, arrived) !== undefined

/** The namespace that the key of a request names. */
export const namespaceNamed = (headers: readonly string[]): string =>
  readKey(headers).namespace ?? DEFAULT_NAMESPACE

interface SentKey {
  /** Without the suffix that names a namespace. */
  readonly key: string | undefined
  readonly namespace: string | undefined
  /** False where there are several: then none is accepted. */
  readonly isSingle: boolean
}

function readKey(headers: readonly string[]): SentKey {
  const sent = fieldValues(headers, 'authorization')
  const isSingle = sent.length <= 1
  const token = isSingle ? bearerToken(sent[0]) : ''
  if (!token) return { key: undefined, namespace: undefined, isSingle }
  const { key, namespace } = splitToken(token)
  return { key, namespace, isSingle }
}

function planOf(
  { key, namespace = DEFAULT_NAMESPACE }: SentKey,
  worlds: Pick<Worlds, 'keysOf' | 'nowOf'>,
  arrived: number,
) {
  if (key === undefined || !NAMESPACE_FORM.test(namespace)) return undefined
  return worlds.keysOf(namespace).planOf(key, worlds.nowOf(namespace, arrived))
}

const refusal = (code: 'missing_api_key' | 'invalid_api_key', message: string) =>
  new ApiError(code, message, challenge(code))
