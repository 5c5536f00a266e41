import { didYouMean } from '../contract/decisions/nearest.ts'
import type { Health, Namespace } from '../contract/generated/control.types.d.ts'
import { AdvisedError } from '../text/advised-error.ts'
import { listed } from '../text/listed.ts'
import { NAMESPACE_FORM, splitToken } from '../world/keys/bearer-token.ts'

/** Says that a namespace does not exist, and which do. */
export function unknownNamespace(namespace: string, existing: readonly Namespace[]): AdvisedError {
  const names = [...new Set(existing.map(({ name }) => name))]
  const isProxy = existing.every(({ pets }) => pets === undefined)
  const fix = isProxy ? OF_PROXY : `A request with the key psk_pro.${namespace} creates it`
  const known = `${didYouMean(namespace, names)} Namespaces: ${listed(names, 10, 0, ', ')}`
  return new AdvisedError(`There is no namespace "${namespace}".${known}`, fix)
}

const OF_PROXY = 'A proxy has all requests in default, whatever their keys; leave out the namespace'

/** The namespace that the suffix of a key names. The keys of the service of a proxy name none. */
export async function namespaceOf(
  key: string,
  healthOf: (namespace: string) => Promise<unknown>,
): Promise<string | undefined> {
  const { namespace } = splitToken(key)
  if (namespace === undefined || !NAMESPACE_FORM.test(namespace)) return undefined
  const { service } = (await healthOf(namespace)) as Health
  return service === undefined ? namespace : undefined
}
