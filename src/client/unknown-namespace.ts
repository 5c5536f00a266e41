import { didYouMean } from '../contract/decisions/nearest.ts'

/** The most namespaces that a message lists. */
const MAX_NAMES = 10

/** Says that a namespace does not exist, and which do. */
export function unknownNamespace(namespace: string, names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(', ')
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''
  return `There is no namespace "${namespace}".${didYouMean(namespace, names)} Namespaces: ${shown}${more}. A request with the key psk_pro.${namespace} creates it`
}
