import type { Entry, NewFault } from '../sandbox/types.ts'
import { quote } from '../text/commands.ts'
import { bareKey, isMasked } from '../text/keys.ts'

/** The key to send again what was sent: where it is masked, the one that the plan has from the start. */
export function keyOf({ key, plan, namespace }: Entry): string | undefined {
  if (key === null) return undefined
  const bare = isMasked(key) ? `psk_${plan ?? 'pro'}` : bareKey(key)
  return namespace === 'default' ? bare : `${bare}.${namespace}`
}

/** What a client sends by itself. */
const OWN = new Set(
  [
    'host connection content-length user-agent accept-encoding accept-language authorization origin referer dnt',
  ].flatMap((names) => names.split(' ')),
)

function headersOf(entry: Entry): [string, string][] {
  const key = keyOf(entry)
  const sent = Object.entries(entry.request.headers).filter(
    ([name, value]) =>
      !OWN.has(name) && !/^(sec-|transfer-encoding)/.test(name) && !(name === 'accept' && value === '*/*'),
  )
  return [...(key === undefined ? [] : [['authorization', `Bearer ${key}`] as [string, string]]), ...sent]
}

export const targetOf = ({ path, query }: Entry): string => (query ? `${path}?${query}` : path)

/** Works in any POSIX shell, whatever the body holds. */
export function asCurl(entry: Entry, origin: string): string {
  const { method, request } = entry
  const parts = [
    'curl',
    ...(method === 'GET' || (method === 'POST' && request.body !== '')
      ? []
      : method === 'HEAD'
        ? ['-I']
        : ['-X', quote(method)]),
    quote(origin + targetOf(entry)),
    ...headersOf(entry).flatMap(([name, value]) => ['-H', quote(`${name}: ${value}`)]),
    ...(request.body === '' ? [] : ['--data-raw', quote(request.body)]),
  ]
  return parts.join(' ')
}

export function asFetch(entry: Entry, origin: string): string {
  const headers = Object.fromEntries(headersOf(entry))
  const init = {
    ...(entry.method !== 'GET' && { method: entry.method }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(entry.request.body !== '' && { body: entry.request.body }),
  }
  return `await fetch(${JSON.stringify(origin + targetOf(entry))}, ${JSON.stringify(init, undefined, 2)})`
}

/** The call of the control API that checks that it happened once. */
export function asVerify(entry: Entry): string {
  const { operationId, method, path, status, request } = entry
  const match = {
    ...(operationId === null ? { method, path } : { operationId }),
    ...(status !== 0 && { status }),
    ...(request.body !== '' && isObject(request.body) && { body: 'BODY' }),
  }
  // The body goes in as it was sent: no digit of it is lost.
  const text = JSON.stringify(match, undefined, 2).replace('"BODY"', () => request.body.trim())
  return `await world.verify(${text}, { exactly: 1 })`
}

/** A rule that meets the next request like this one. */
export const asFault = ({ operationId, method, path }: Entry): NewFault => ({
  match: operationId === null ? { method, path } : { operationId },
  effect: { status: 503 },
  when: 'before',
  times: 1,
})

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
