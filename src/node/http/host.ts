import { isIPv6 } from 'node:net'

/** `uri-host [ ":" port ]`, with an IP literal in brackets (RFC 9110, section 7.2; RFC 3986, section 3.2.2). */
const HOST = /^(?:\[([^\]]*)\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::\d*)?$/
const FUTURE = /^v[0-9a-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+$/i

/** Whether this is a valid value of the Host field; an empty one is valid. */
export function isHost(value: string): boolean {
  const found = HOST.exec(value)
  if (!found) return false
  const [, literal] = found
  return literal === undefined || FUTURE.test(literal) || (isIPv6(literal) && !literal.includes('%'))
}
