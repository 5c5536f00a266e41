import type { FaultEffect, ReasonView } from '../../contract/generated/control.types.d.ts'
import { inThousands } from '../../text/in-thousands.ts'
import { plural } from '../../text/plural.ts'
import { secondsText } from '../../time/duration.ts'
import { DAY, iso, SECOND } from '../../time/instant.ts'
import type { WireFault } from '../faults/fault.ts'
import { builtInKey } from '../keys/built-in-keys.ts'
import { maskKey } from '../keys/secrets.ts'
import { UNLIMITED } from '../plan.ts'
import type { Exchange } from './exchange.ts'
import type { Acted, Reason } from './reason.ts'

/** Why a request was answered as it was, in words. */
export type ReasonWords = Pick<ReasonView, 'text' | 'short' | 'fix' | 'quotes'>

/** The words for each reason of an answer, by its code. */
const WORDS: Readonly<Record<string, (exchange: Exchange, reason: Reason) => ReasonWords>> = {
  served: (exchange) => ({ text: served(exchange), short: '' }),
  forced: () => ({
    text: 'The client asked for this response with the header Prefer; nothing was carried out.',
    short: 'forced by Prefer',
  }),
  missing_api_key: () => ({
    text: 'The request had no API key.',
    short: 'no API key',
    fix: 'Send "Authorization: Bearer <key>" with a key of the namespace.',
  }),
  invalid_api_key: () => ({
    text: 'The API key is unknown in its namespace, revoked or expired.',
    short: 'invalid API key',
    fix: 'Use a key of the namespace; the part after the dot names the namespace.',
  }),
  rate_limit_exceeded: windowWords,
  api_key_banned: banWords,
  pet_not_found({ key = '' }) {
    const [store, how] = builtInKey(key)?.collection
      ? [`the store of ${key}`, 'Create it with this key']
      : ['the namespace', 'Add it with a seed']
    return {
      text: `There is no pet with this id in ${store}.`,
      short: 'no such pet',
      fix: `${how}, or use an id that listPets returns.`,
    }
  },
  route_not_found: () => ({
    text: 'No operation has this path.',
    short: 'unknown path',
    fix: 'The API is under /v1; its operations are in /openapi.json.',
  }),
  method_not_allowed: () => ({
    text: 'The path does not support this method.',
    short: 'wrong method',
    fix: 'Use a method that the header Allow lists.',
  }),
  unsupported_media_type: () => ({
    text: 'The body is not declared as JSON in UTF-8 without a content encoding.',
    short: 'wrong media type',
    fix: 'Send "Content-Type: application/json" and no Content-Encoding.',
  }),
  body_too_large: () => ({
    text: 'The body is larger than the API accepts.',
    short: 'body too large',
    fix: 'Send a smaller body.',
  }),
  endpoint_removed: () => ({
    text: 'The deprecated operation is removed for this key, or at this time of the clock.',
    short: 'removed',
    fix: 'Use its successor, which the header Link names, or set the clock to before its removal.',
  }),
  not_implemented: quoted(
    'not implemented',
    'Describe the operation in an overlay, or set the decision orders to mock; outside of Node, start a sandbox in Node.',
  ),
  internal_error: () => ({ text: 'The sandbox failed to answer.', short: 'failed', fix: 'Read its log.' }),
  bad_gateway: quoted('no valid response', 'Check the service.'),
  gateway_timeout: quoted('no response in time', 'Check the service, or allow more time with --timeout.'),
  service_unavailable: quoted('unavailable', 'Do what the response says, then send the request again.'),
  invalid_json: quoted('unreadable body'),
  invalid_body: quoted('invalid body'),
  invalid_parameter: quoted('invalid parameter'),
}

const invalid = quoted('invalid request')

/** Describes why a request was answered as it was. */
export function reasonWords(exchange: Exchange): ReasonWords {
  const { acted, reason, key = '', plan } = exchange
  const words = acted ? actedWords(exchange, acted) : wordsOf(exchange, reason)
  const { late } = (plan && builtInKey(key)) || {}
  if (late === undefined) return words
  return {
    ...words,
    text: `${words.text} The trigger key ${key} delayed the response by ${secondsText(late)}.`,
  }
}

function wordsOf(exchange: Exchange, reason: Reason): ReasonWords {
  if (exchange.isRelayed) return relayed(exchange, reason)
  const words = (Object.hasOwn(WORDS, reason.code) && WORDS[reason.code]) || invalid
  return words(exchange, reason)
}

/** Words that end with the message of the response. */
function quoted(short: string, fix = 'Correct what the response names.') {
  return (_: Exchange, { message = '' }: Reason): ReasonWords => ({
    text: sentence(`${capital(short)}: ${message}`),
    short,
    fix,
    quotes: true,
  })
}

/** The answer of another service. */
const relayed = ({ status }: Exchange, { message }: Reason): ReasonWords => ({
  text: sentence(`The service answered with ${status}${message === undefined ? '' : `: ${message}`}`),
  short: status < 400 ? '' : `${status < 500 ? 'refused' : 'failed'} by the service`,
  quotes: true,
})

function served({ charged, key }: Exchange): string {
  if (!charged || charged.quota.limit === UNLIMITED) return 'Served.'
  const { span, quota } = charged
  const left = `${inThousands(quota.remaining)} of ${plural(quota.limit, 'request')}`
  return `Served; ${nameOf(key)} has ${left} left in this ${span}.`
}

function windowWords(exchange: Exchange, reason: Reason): ReasonWords {
  if (!exchange.charged) return invalid(exchange, reason)
  const { span, quota } = exchange.charged
  const limit = quota.limit === UNLIMITED ? 'requests' : plural(quota.limit, 'request')
  return {
    text: `The limit of ${limit} per ${span} of ${nameOf(exchange.key)} is used up until ${clockText(exchange, quota.resetsAt)}.`,
    short: `${span} used up`,
    fix: 'Wait for the time in Retry-After, advance the clock, or refill the limits of the key.',
  }
}

function banWords(exchange: Exchange, reason: Reason): ReasonWords {
  if (!exchange.charged) return invalid(exchange, reason)
  const { quota, startsBan } = exchange.charged
  return {
    text: `${startsBan ? 'With this refusal a ban begins' : 'A ban is in force'}: every request of ${nameOf(exchange.key)} is refused until ${clockText(exchange, quota.resetsAt)}.`,
    short: startsBan ? 'starts a ban' : 'banned',
    fix: 'Make the client wait for the time in Retry-After after each refusal; lift the ban, or advance the clock.',
  }
}

/** An instant by the clock of the namespace; with its date if that is not the day of the request. */
function clockText({ at }: Exchange, instant: number): string {
  const rounded = Math.ceil(instant / SECOND) * SECOND
  const text = iso(rounded)
  const isToday = Math.floor(at / DAY) === Math.floor(rounded / DAY)
  return `${isToday ? '' : `${text.slice(0, 10)} `}${text.slice(11, 19)} UTC`
}

/** Names built-in keys only. */
const nameOf = (key = ''): string => (builtInKey(key) ? maskKey(key) : 'the key')

/** The effect of a fault rule on a response. */
export type FaultKind = 'replaced' | 'lost' | 'late' | 'held'

export function faultKind(effect: FaultEffect): FaultKind {
  if ('status' in effect) return 'replaced'
  if ('wire' in effect) return 'lost'
  if ('hold' in effect) return 'held'
  if ('latency' in effect) return 'late'
  return effect satisfies never
}

const LOST: Readonly<Record<WireFault, string>> = {
  reset: 'the connection was reset',
  empty: 'the connection was closed without a byte',
  truncate: 'it ended in the middle',
  garbage: 'bytes that are not HTTP were sent instead',
  hang: 'it was never sent',
}

function actedWords(exchange: Exchange, acted: Acted): ReasonWords {
  const { effect, lost } = acted
  const rule = builtInKey(acted.rule) ? `the trigger key ${acted.rule}` : `the fault rule ${acted.rule}`
  const kind = faultKind(effect)
  if (kind === 'late' || kind === 'held') return delayedWords(exchange, acted, rule, kind)
  const late = acted.ms === undefined ? '' : ` after ${secondsText(acted.ms)}`
  const did =
    'wire' in effect ? `lost the response${late}: ${LOST[effect.wire]}` : `replaced the response${late}`
  const fix = intended(acted)
  if (!lost) {
    const text = `${capital(rule)} ${did}. The request was not carried out.`
    return { text, short: `${kind}, not carried out`, fix }
  }
  const outcome = outcomeOf(exchange, lost)
  const twice = exchange.changed ? ' Sent again, it is carried out twice.' : ''
  return {
    text: `${outcome.text}, then ${rule} ${did}.${twice}`,
    short: `${outcome.short}, ${'wire' in effect && effect.wire === 'truncate' ? 'answer cut' : `answer ${kind}`}`,
    fix: exchange.changed ? `Before a retry, the client must check whether it was carried out. ${fix}` : fix,
  }
}

const intended = ({ rule }: Acted): string =>
  `Intended by a test; to end it, ${builtInKey(rule) ? 'use another key' : 'remove the rule'}.`

function delayedWords(exchange: Exchange, acted: Acted, rule: string, kind: 'late' | 'held'): ReasonWords {
  const { when, ms = 0, timeout, released } = acted
  const what = when === 'after' ? 'the response' : 'the request'
  const { status, reason } = exchange
  const time = secondsText(ms)
  const did =
    kind === 'late'
      ? `delayed ${what} by ${time}`
      : `held ${what} for ${time}, ${timeout ? 'its timeout, since nothing released it' : `until ${released ? 'it was released' : 'the other request was answered'}`}`
  const fix = timeout ? 'Release the hold, or send the request that ends it.' : intended(acted)
  if (when === 'after') {
    const outcome = outcomeOf(exchange, { status, reason })
    return { text: `${outcome.text}, then ${rule} ${did}.`, short: `${outcome.short}, answer ${kind}`, fix }
  }
  const then = wordsOf(exchange, reason)
  return {
    text: `${capital(rule)} ${did}. ${then.text}`,
    short: then.short === '' ? kind : `${kind}, ${then.short}`,
    fix: then.fix ?? fix,
    ...(then.quotes && { quotes: true }),
  }
}

/** The result of the request before a rule lost, replaced or delayed the answer. */
function outcomeOf({ changed }: Exchange, { status, reason }: NonNullable<Acted['lost']>) {
  if (reason.code === 'forced') return { text: 'Nothing was carried out, as Prefer asked', short: 'forced' }
  if (status >= 400)
    return { text: `The request was refused with ${status}`, short: `refused with ${status}` }
  if (!changed) return { text: `The request was carried out (${status})`, short: 'carried out' }
  const { change, id } = changed
  const past = change === 'created' ? 'stored' : change
  return { text: `The request was carried out and pet ${id} was ${past}`, short: past }
}

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`)

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
