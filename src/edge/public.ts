import { bytesToHex } from '@noble/hashes/utils.js'
import { readSwitch } from '../config/readers.ts'
import { at } from '../config/usage-error.ts'
import { browserRules } from '../control/browser-rules.ts'
import { jsonReply } from '../control/reply.ts'
import { withHead } from '../web/fetch.ts'
import { ApiError } from '../world/api-error.ts'
import { CONTROL_PATH, isControlTarget } from '../world/traffic/address.ts'
import { isRead, type Request } from '../world/traffic/message.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import { isFork } from './route.ts'
import type { Env } from './runtime.ts'
import { settingsOf } from './settings.ts'

/** The largest body in bytes. */
export const MAX_BODY = 100 * 1024

/** In place of the refusal by the control API, which names its own limit. */
export const TOO_LARGE = new ApiError(
  'body_too_large',
  'The body is larger than 100 KiB, the limit of a public sandbox. Pets can be seeded in parts with "mode": "append".',
)

/** The default time that a world without requests is kept. */
export const DEFAULT_EXPIRY = '7d'

/** Whether anybody can create a world. Throws a UsageError if the variable is neither true nor false. */
export const isPublic = ({ PETSTORE_SANDBOX_PUBLIC: given }: Env): boolean =>
  Boolean(given) && at('PETSTORE_SANDBOX_PUBLIC', () => readSwitch(given))

/** The key of a world, which is also the token of its control API: its owner can do everything in the world. */
export const keyOf = (name: string): string => `psk_pro.${name}`

/** Whether a request creates a world. */
export const createsWorld = ({ method, target }: Pick<Request, 'method' | 'target'>): boolean =>
  method === 'POST' && target === `${CONTROL_PATH}/worlds`

/** Creates a world with a name of 128 random bits. */
export async function makeWorld(env: Env, request: Request): Promise<Response> {
  const name = bytesToHex(crypto.getRandomValues(new Uint8Array(16)))
  const expiresAt = new Date(await env.WORLD.getByName(name).make()).toISOString()
  const made = { key: keyOf(name), namespace: name, expiresAt }
  const reply = jsonReply(201, made)
  const { headers } = browserRules(settingsOf(env).controlOrigins ?? []).decorate(request, reply)
  return withHead({ ...reply, headers }, String(reply.body))
}

/** The refusal of a request to a public sandbox, if any. `isMade`: the world was created by `makeWorld`. */
export function publicRefusal(name: string, isMade: boolean, request: Request): ApiError | undefined {
  const { method, target } = request
  const isDefault = name === DEFAULT_NAMESPACE
  if (!isDefault && !isMade) {
    const code = isControlTarget(target) ? 'not_found' : 'invalid_api_key'
    return new ApiError(code, `There is no such world. ${MAKE}`)
  }
  // The copy would not be made by `makeWorld`, so that nobody could use it.
  if (isFork({ target })) return new ApiError('control_forbidden', `Worlds cannot be copied here. ${MAKE}`)
  if (!isDefault || isRead(request) || method === 'OPTIONS' || isControlTarget(target)) return undefined
  return new ApiError('control_forbidden', `Without a world of your own you can only read. ${MAKE}`)
}

const MAKE = `Make one with POST ${CONTROL_PATH}/worlds: the answer has its key.`
