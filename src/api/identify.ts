import { rememberLast } from '../text/remember-last.ts'
import { copyOf } from '../text/shorten.ts'
import { ApiError } from '../world/api-error.ts'
import { bearerToken, NAMESPACE_FORM, splitToken } from '../world/keys/bearer-token.ts'
import { type BuiltInKey, builtInKey } from '../world/keys/built-in-keys.ts'
import { fieldValues } from '../world/traffic/message.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_NAMESPACE, type Worlds } from '../world/worlds.ts'
import type { Call, Caller } from './call.ts'

const CHALLENGE = 'Bearer realm="petstore-sandbox"'

/** The refusals, each with its challenge (RFC 6750, section 3.1): that names an error only if a key was sent. */
const MISSING = new ApiError('missing_api_key', 'Send an API key as "Authorization: Bearer <key>".', [
  'WWW-Authenticate',
  CHALLENGE,
])
export const INVALID_KEY = new ApiError('invalid_api_key', 'The API key is not valid.', [
  'WWW-Authenticate',
  `${CHALLENGE}, error="invalid_token", error_description="The API key is not valid"`,
])

type KeyLookUp = Pick<Worlds, 'keysOf' | 'nowOf'>

/** Finds the caller and its namespace; refuses a missing or an invalid key with 401. */
export function identify(call: Call, worlds: KeyLookUp & Pick<Worlds, 'get' | 'forRefused'>): Caller {
  const sent = readKey(call.request.headers)
  const { key, namespace, trigger } = sent
  call.sentKey = key
  if (key === undefined && sent !== SEVERAL) throw MISSING
  const plan = planOf(sent, worlds, call.arrived)
  if (key === undefined || !plan) {
    // The 401 for a key that names a namespace is recorded in that namespace and has its time.
    if (sent.isNamespace) enter(call, worlds.forRefused(namespace, call.arrived))
    throw INVALID_KEY
  }
  enter(call, worlds.get(namespace, call.arrived))
  call.caller = { key, plan, trigger }
  return call.caller
}

function enter(call: Call, world: World): void {
  call.world = world
  call.now = world.now(call.arrived)
}

/** Whether the header of a request has a valid key. */
export const isAdmitted = (headers: readonly string[], worlds: Worlds, arrived: number): boolean =>
  planOf(readKey(headers), worlds, arrived) !== undefined

/** The namespace that the key of a request names. */
export const namespaceNamed = (headers: readonly string[]): string => readKey(headers).namespace

interface SentKey {
  /** The key without the suffix that names a namespace; undefined if none was sent. */
  readonly key: string | undefined
  readonly namespace: string
  /** Whether the name of the namespace is valid; false without a key. */
  readonly isNamespace: boolean
  readonly trigger: BuiltInKey | undefined
}

const NONE: SentKey = { key: undefined, namespace: DEFAULT_NAMESPACE, isNamespace: false, trigger: undefined }

/** A request with several keys is refused. */
const SEVERAL: SentKey = { ...NONE }

function readKey(headers: readonly string[]): SentKey {
  const [sent = '', ...more] = fieldValues(headers, 'authorization')
  return more.length > 0 ? SEVERAL : keyIn(sent)
}

const keyIn = rememberLast((authorization: string): SentKey => {
  const token = bearerToken(authorization)
  if (token === '') return NONE
  const { key, namespace = DEFAULT_NAMESPACE } = splitToken(copyOf(token))
  return { key, namespace, isNamespace: NAMESPACE_FORM.test(namespace), trigger: builtInKey(key) }
})

const planOf = ({ key, namespace, isNamespace }: SentKey, worlds: KeyLookUp, arrived: number) =>
  key !== undefined && isNamespace
    ? worlds.keysOf(namespace).planOf(key, worlds.nowOf(namespace, arrived))
    : undefined
