import type { Entry, NewFault } from '../../data/types.ts'
import { quote } from '../../text/commands.ts'
import { bareKey, isMasked } from '../../text/keys.ts'

/**
 * The key to send again what was sent: where it is masked, the one that the plan has from the start; where it had no
 * plan, one that is refused as well.
 */
export function keyOf({ key, plan, namespace }: Entry): string | undefined {
  if (key === null) return undefined
  const bare = isMasked(key) ? (plan === null ? 'unknown' : `psk_${plan}`) : bareKey(key)
  return namespace === 'default' ? bare : `${bare}.${namespace}`
}

/** Header fields that a client sends by itself. */
const OWN = new Set(
  [
    'host connection content-length expect user-agent accept-encoding accept-language authorization origin referer dnt',
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
  const { body } = request
  const target = targetOf(entry)
  const usual = body === '' ? 'GET' : 'POST'
  const parts = [
    'curl',
    // Else curl reads [] and {} as patterns, and resolves . and .. itself.
    ...(/[[\]{}]/.test(target) ? ['-g'] : []),
    ...(/\/\.{1,2}(\/|$)/.test(entry.path) ? ['--path-as-is'] : []),
    ...(method === usual ? [] : method === 'HEAD' && body === '' ? ['-I'] : ['-X', quote(method)]),
    quote(origin + target),
    ...headersOf(entry).flatMap(([name, value]) => [
      '-H',
      quote(value === '' ? `${name};` : `${name}: ${value}`),
    ]),
    // curl would name a type of its own.
    ...(body === '' || 'content-type' in request.headers ? [] : ['-H', 'content-type:']),
  ]
  if (body === '') return parts.join(' ')
  return CONTROL.test(body)
    ? `printf %b ${quote(escaped(body))} | ${[...parts, '--data-binary', '@-'].join(' ')}`
    : [...parts, '--data-raw', quote(body)].join(' ')
}

/** Characters that a shell cannot take in an argument, or that control a terminal when pasted; line ends may stay. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/

/** For `printf %b`: each of those by the octal numbers of its bytes. */
const escaped = (text: string): string =>
  text
    .replaceAll('\\', '\\\\')
    .replace(new RegExp(CONTROL, 'g'), (character) =>
      [...new TextEncoder().encode(character)]
        .map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`)
        .join(''),
    )

export function asFetch(entry: Entry, origin: string): string {
  const { method, request } = entry
  const headers = Object.fromEntries(headersOf(entry))
  // fetch sends none with these.
  const hasBody = request.body !== '' && method !== 'GET' && method !== 'HEAD'
  const init = {
    ...(method !== 'GET' && { method }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(hasBody && { body: request.body }),
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
