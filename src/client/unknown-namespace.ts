import { didYouMean } from '../contract/decisions/nearest.ts'

/** The most namespaces that a message lists. */
const MOST_NAMES = 10

/** Says that a namespace does not exist, and which do. */
export function unknownNamespace(namespace: string, names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(', ')
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''
  return `There is no namespace "${namespace}".${didYouMean(namespace, names)} Namespaces: ${shown}${more}. A request with the key psk_pro.${namespace} creates it`
}
