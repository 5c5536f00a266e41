import type { ControlClient } from '../client/control.ts'
import { UsageError } from '../config/usage-error.ts'
import { splitToken } from '../world/keys/bearer-token.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'

/** A key without its suffix, and a client for the namespace of the suffix. */
export function keyAddress(client: ControlClient, given: string): { client: ControlClient; key: string } {
  const { key, namespace: suffix } = splitToken(given)
  if (suffix === undefined || suffix === client.namespace) return { client, key }
  if (client.namespace === DEFAULT_NAMESPACE) return { client: client.in(suffix), key }
  throw new UsageError(
    `${given} names the namespace ${suffix}, but --namespace is ${client.namespace}`,
    'Leave out one of the two',
  )
}
