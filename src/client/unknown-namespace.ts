import { didYouMean } from '../contract/decisions/nearest.ts'
import { listed } from '../text/listed.ts'

/** Says that a namespace does not exist, and which do. */
export function unknownNamespace(namespace: string, names: readonly string[]): string {
  const known = `Namespaces: ${listed(names, 10, 0, ', ')}`
  return `There is no namespace "${namespace}".${didYouMean(namespace, names)} ${known}. A request with the key psk_pro.${namespace} creates it`
}
