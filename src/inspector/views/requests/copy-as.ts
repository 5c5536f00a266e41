import { shellWord } from '../../../text/shell.ts'
import { targetOf } from '../../../world/traffic/address.ts'
import { keyIn } from '../../data/address.ts'
import type { Entry, NewFault } from '../../data/types.ts'
import { isJson } from '../../text/json.ts'

/** Stands for a key that is masked. */
const VARIABLE = '$KEY'

/** The key to send a request again, to the same namespace. An unknown key is sent as another unknown key. */
function keyOf({ key, plan, namespace }: Entry): string | undefined {
  if (key === null) return undefined
  if (key.includes('…') && plan !== null) return VARIABLE
  return keyIn(namespace, key.includes('…') ? 'unknown' : key)
}

export const hasVariable = (entry: Entry): boolean => keyOf(entry) === VARIABLE

/** Header fields that clients and proxies add themselves. */
const SENT_BY_CLIENTS =
  /^(host|connection|content-length|transfer-encoding|expect|user-agent|accept-(encoding|language)|authorization|origin|referer|dnt|cdn-loop|sec-.*)$/

function headersOf(entry: Entry): [string, string][] {
  const key = keyOf(entry)
  const sent = Object.entries(entry.request.headers).filter(
    ([name, value]) => !SENT_BY_CLIENTS.test(name) && !(name === 'accept' && value === '*/*'),
  )
  return [...(key === undefined ? [] : [['authorization', `Bearer ${key}`] as [string, string]]), ...sent]
}

type Quote = (word: string) => string

/** Only the own field of the key: in double quotes, a shell would carry out `$(…)` in a text of a client. */
const withVariable =
  (quoted: Quote): Quote =>
  (word) =>
    /^(?:authorization: )?Bearer \$KEY$/.test(word) ? `"${word}"` : quoted(word)

const quotePowerShell: Quote = (word) => `'${word.replace(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`

/** Characters that a shell cannot take in an argument, or that control a terminal when pasted; line ends may stay. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/

/** For `printf %b`: octal escapes of the bytes of such characters. */
const escaped = (text: string): string =>
  text
    .replaceAll('\\', '\\\\')
    .replace(new RegExp(CONTROL, 'g'), (character) =>
      Array.from(
        new TextEncoder().encode(character),
        (byte) => `\\0${byte.toString(8).padStart(3, '0')}`,
      ).join(''),
    )

/** A curl command, for any body. */
function curl(entry: Entry, origin: string): string {
  const word = withVariable(shellWord)
  const { method, path, request } = entry
  const { body } = request
  const target = targetOf(entry)
  const usual = body === '' ? 'GET' : 'POST'
  const head = [
    'curl',
    // curl would treat [] and {} as patterns, and resolve . and .. itself.
    ...(/[[\]{}]/.test(target) ? ['-g'] : []),
    ...(/\/\.{1,2}(\/|$)/.test(path) ? ['--path-as-is'] : []),
    ...(method === usual ? [] : method === 'HEAD' && body === '' ? ['-I'] : ['-X', word(method)]),
    word(origin + target),
    ...headersOf(entry).flatMap(([name, value]) => [
      '-H',
      word(value === '' ? `${name};` : `${name}: ${value}`),
    ]),
    // Removes the default type of curl.
    ...(body === '' || 'content-type' in request.headers ? [] : ['-H', 'content-type:']),
  ].join(' ')
  if (body === '') return head
  return CONTROL.test(body)
    ? `printf %b ${word(escaped(body))} | ${head} --data-binary @-`
    : `${head} --data-raw ${word(body)}`
}

/** No curl.exe, to which versions of PowerShell pass arguments differently. The body is sent as bytes. */
function powerShell(entry: Entry, origin: string): string {
  const word = withVariable(quotePowerShell)
  const { 'content-type': type, ...headers } = Object.fromEntries(headersOf(entry))
  const fields = Object.entries(headers).map((each) =>
    each.map(word).join(' = ').replace(`${VARIABLE}"`, '$env:KEY"'),
  )
  const { body } = entry.request
  const bytes = String.fromCharCode(...new TextEncoder().encode(body))
  return [
    `Invoke-WebRequest -Method ${word(entry.method)} -Uri ${word(origin + targetOf(entry))}`,
    ...(fields.length > 0 ? [`-Headers @{ ${fields.join('; ')} }`] : []),
    ...(type === undefined ? [] : [`-ContentType ${word(type)}`]),
    ...(body === ''
      ? []
      : CONTROL.test(body)
        ? [`-Body ([Convert]::FromBase64String('${btoa(bytes)}'))`]
        : [`-Body ([Text.Encoding]::UTF8.GetBytes(${word(body)}))`]),
  ].join(' ')
}

function asFetch(entry: Entry, origin: string): string {
  const { method, request } = entry
  const headers = Object.fromEntries(headersOf(entry))
  // fetch refuses a body for GET and HEAD.
  const hasBody = request.body !== '' && method !== 'GET' && method !== 'HEAD'
  const init = {
    ...(method !== 'GET' && { method }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(hasBody && { body: request.body }),
  }
  const text = `await fetch(${JSON.stringify(origin + targetOf(entry))}, ${JSON.stringify(init, undefined, 2)})`
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a template where it is pasted
  return hasVariable(entry) ? text.replace(`"Bearer ${VARIABLE}"`, '`Bearer ${process.env.KEY}`') : text
}

/** The formats of "Copy as". */
export const SENDERS = {
  'curl for bash, zsh, fish': curl,
  PowerShell: powerShell,
  fetch: asFetch,
}

/** The control call that verifies that such a request was received once. */
export function asVerify(entry: Entry): string {
  const { operationId, method, path, status, request } = entry
  const match = {
    ...(operationId === null ? { method, path } : { operationId }),
    ...(status !== 0 && { status }),
    ...(/^\s*\{/.test(request.body) && isJson(request.body) && { body: 'BODY' }),
  }
  // The body is inserted unchanged, so that no digit is lost.
  const text = JSON.stringify(match, undefined, 2).replace('"BODY"', () => request.body.trim())
  return `await world.verify(${text}, { exactly: 1 })`
}

/** A fault rule for the next request of this kind. */
export const asFault = ({ operationId, method, path }: Entry): NewFault => ({
  match: operationId === null ? { method, path } : { operationId },
  effect: { status: 503 },
  when: 'before',
  times: 1,
})
