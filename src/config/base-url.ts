import { hostOf, urlOf } from '../text/url.ts'
import { BASE_PATH, DEFAULT_ORIGIN } from '../world/traffic/address.ts'
import { isLoopback } from '../world/traffic/peer.ts'
import { UsageError } from './usage-error.ts'

/** Throws a UsageError, without credentials, if a text is not a base URL. `where`: its source, for the message. */
export function refuseBaseUrl(text: string, where = ''): void {
  const shown = `${where}"${text.replace(/^([^/]*\/\/).*@/, '$1…@')}"`
  // URL ignores white space at the end of an address, but a path is appended after it.
  const url = /^\S+$/.test(text) ? urlOf(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${shown} is not a valid base URL`, `use one such as ${DEFAULT_ORIGIN}${BASE_PATH}`)
  if (url.search || url.hash || url.username || url.password)
    throw new UsageError(`${shown} is not a valid base URL`, 'use only scheme, host, port and path')
}

/** Whether a base URL certainly addresses this machine. */
export function isOnThisMachine(baseUrl: string): boolean {
  const host = hostOf(new URL(baseUrl))
  return host === 'localhost' || isLoopback(host)
}
