import { UsageError } from '../config/usage-error.ts'
import { isLoopback } from '../world/traffic/peer.ts'

/** Throws a UsageError if the text is not the base URL of a service. */
export function refuseBaseUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`"${text}" is not a valid base URL`, 'use one such as http://localhost:4010/v1')
  }
  if (url.search || url.hash || url.username || url.password) {
    throw new UsageError(`"${text}" is not a valid base URL`, 'use only scheme, host, port and path')
  }
}

/** Whether a base URL certainly addresses this machine. */
export function isOnThisMachine(baseUrl: string): boolean {
  const host = new URL(baseUrl).hostname.replace(/^\[(.*)\]$/, '$1')
  return host === 'localhost' || isLoopback(host)
}
