import type { Entry, Fault, SandboxFinding } from '../../data/types.ts'
import { UNLIMITED } from '../../data/unlimited.ts'
import { isMasked } from '../../text/keys.ts'
import { distance, duration, SECOND, timeOfDay } from '../../text/time.ts'

export type Tone = 'plain' | 'warn' | 'bad'

/** One thing about a request that deserves a look, in words. */
export interface Finding {
  readonly text: string
  readonly tone: Tone
}

/** What is known beside the entry: it makes the words say more. */
export interface Surroundings {
  readonly rules?: ReadonlyMap<string, Fault>
}

const NONE: ReadonlyMap<string, Fault> = new Map()

/** What the row of a request says behind it. */
export function findingsOf(entry: Entry, { rules = NONE }: Surroundings = {}): Finding[] {
  const { decision, status } = entry
  const isEarly = entry.findings.some(({ kind }) => kind === 'early-retry')
  const found: Finding[] = []
  if (decision.startsWith('fault:')) found.push(faultFinding(entry, rules))
  else if (decision === 'refused:ban') found.push({ text: 'banned', tone: 'bad' })
  else if (decision === 'refused:window' && !isEarly)
    found.push({ text: `${windowOf(entry)} used up`, tone: 'warn' })
  else if (decision === 'refused:key' || decision === 'refused:request')
    found.push({ text: shortMessage(entry), tone: status >= 500 ? 'bad' : 'plain' })
  else if (decision === 'forced') found.push({ text: 'forced by Prefer', tone: 'plain' })
  return [...found, ...entry.findings.flatMap(wordsOf)]
}

/** A finding of the sandbox in the few words of a row; none where the decision has said it. */
function wordsOf(finding: SandboxFinding): Finding[] {
  const { kind, earlyMs = 0, inputs = [], more = 0, of = '', after = '' } = finding
  const one = (text: string, tone: Tone = 'warn'): Finding[] => [{ text, tone }]
  switch (kind) {
    case 'early-retry':
      return one(`${duration(earlyMs)} too early`)
    case 'banned':
      return one('starts a ban', 'bad')
    case 'duplicate':
      return one(`possible duplicate of ${of}`)
    case 'ignored-input':
      return [
        ...inputs.flatMap((input) => one(`${input} was ignored`)),
        ...(more > 0 ? one(`${more.toLocaleString('en')} more were ignored`) : []),
      ]
    case 'deprecated-call':
      return one('deprecated')
    case 'hold-timeout':
      return one(`held for ${after} and not released`, 'bad')
    default:
      return []
  }
}

function faultFinding({ decision, status }: Entry, rules: ReadonlyMap<string, Fault>): Finding {
  const id = decision.slice('fault:'.length)
  const rule = rules.get(id)
  const name = id.startsWith('fault_') ? id.replace('_', ' ') : `fault ${id}`
  const effect = rule?.effect ?? {}
  const what = status === 0 || 'wire' in effect ? 'lost' : 'latency' in effect ? 'late' : 'replaced'
  if (rule?.when === 'after' && what !== 'late')
    return { text: `${what} after it was carried out`, tone: 'bad' }
  return { text: what === 'replaced' ? name : `${what}, ${name}`, tone: 'bad' }
}

/** The Error message of the response; else its status. */
export function messageOf({ response, status }: Entry): string {
  try {
    const { message } = JSON.parse(response.body) as { message?: unknown }
    if (typeof message === 'string') return message
  } catch {
    // Not every body is an Error.
  }
  return `Answered with ${status}`
}

const shortMessage = (entry: Entry): string =>
  messageOf(entry)
    .split(/(?<=[^\s])[.;] /)[0]
    ?.replace(/\.$/, '') ?? ''

const windowOf = (entry: Entry): 'minute' | 'day' => (/per day/.test(messageOf(entry)) ? 'day' : 'minute')

/** What a header counts; undefined where it says something else, as those of a proxied service may. */
const numberIn = ({ response: { headers } }: Entry, name: string): number | undefined =>
  /^\d{1,15}$/.test(headers[name] ?? '') ? Number(headers[name]) : undefined

/** The instant that is so many seconds behind another one; undefined where no calendar has it. */
const after = (start: number, seconds: number | undefined): number | undefined => {
  const at = start + (seconds ?? Number.NaN) * SECOND
  return Number.isNaN(new Date(at).getTime()) ? undefined : at
}

/** Requests left, as the response said; undefined where there is no limit. */
export const remainingOf = (entry: Entry): number | undefined =>
  numberIn(entry, 'x-ratelimit-limit') === UNLIMITED ? undefined : numberIn(entry, 'x-ratelimit-remaining')

/** Why it was answered so: what was decided, which number, until when, and what the client should have done. */
export function why(entry: Entry, now: number, { rules = NONE }: Surroundings = {}): string {
  const { decision, findings, warnings } = entry
  const retry = findings.find(({ kind }) => kind === 'early-retry')
  const early = retry?.allowedAt
    ? ` The client came back ${duration(retry.earlyMs ?? 0)} too early: it was told to wait until ${timeOfDay(retry.allowedAt, 0)}.`
    : ''
  // These two have sentences of their own.
  const others = warnings.filter((warning) => !/is deprecated$|before Retry-After had passed$/.test(warning))
  const more = others.map((warning) => ` ${warning.charAt(0).toUpperCase()}${warning.slice(1)}.`).join('')
  const first = decided(entry, decision, now, rules)
  return `${first}${early}${deprecation(entry)}${more}`
}

function decided(entry: Entry, decision: string, now: number, rules: ReadonlyMap<string, Fault>): string {
  const who = keyName(entry)
  if (decision === 'refused:window') return windowWhy(entry, who, now)
  if (decision === 'refused:ban') {
    const until = after(Date.parse(entry.at), numberIn(entry, 'retry-after'))
    const banned = `A ban on ${who} is in force, as it sent on while its window was used up.`
    if (until === undefined) return banned
    return `${banned} It ends at ${timeOfDay(until, 0)} (${distance(until, now)}); until then every request is refused.`
  }
  if (decision === 'refused:key') return `No valid key came with it: ${messageOf(entry)}`
  if (decision === 'refused:request') return messageOf(entry)
  if (decision === 'forced')
    return `The client asked for this response with “Prefer: ${entry.request.headers.prefer ?? ''}”; nothing was carried out.`
  if (decision.startsWith('fault:')) return faultWhy(entry, decision.slice('fault:'.length), rules)
  const left = remainingOf(entry)
  const limit = numberIn(entry, 'x-ratelimit-limit')
  if (entry.status >= 400) return messageOf(entry)
  return left === undefined || limit === undefined
    ? 'It was served.'
    : `It was served; ${who} has ${left.toLocaleString('en')} of ${limit.toLocaleString('en')} requests left.`
}

function windowWhy(entry: Entry, who: string, now: number): string {
  const span = windowOf(entry)
  const limit = numberIn(entry, 'x-ratelimit-limit')
  const reset = after(0, numberIn(entry, 'x-ratelimit-reset'))
  if (limit === undefined || reset === undefined)
    return `A window of ${who} is used up; the response does not say which, or until when.`
  // The header has whole seconds, rounded up: the window cannot have begun behind what it counts.
  const since = Math.min(reset - (span === 'minute' ? 60 : 86_400) * SECOND, Date.parse(entry.at))
  return `The ${span} window of ${who} is used up: ${limit} of ${limit} since ${timeOfDay(since, 0)}. It opens again at ${timeOfDay(reset, 0)} (${distance(reset, now)}); until then the client should not send.`
}

function faultWhy({ status }: Entry, id: string, rules: ReadonlyMap<string, Fault>): string {
  const rule = rules.get(id)
  const whose = id.startsWith('psk_') ? `The trigger key ${id}` : `The fault rule ${id}`
  const { effect } = rule ?? { effect: {} }
  if ('latency' in effect) return `${whose} made the response late (${effect.latency}).`
  const what = status === 0 || 'wire' in effect ? 'was lost on the wire' : `was replaced by ${status}`
  if (!rule) return `${whose} acted: the response ${what}.`
  return rule.when === 'after'
    ? `${whose} acted. The request was carried out, and only its response ${what}: sent again, it is carried out twice.`
    : `${whose} acted. Nothing was carried out: the response ${what}.`
}

function deprecation({ response, operationId }: Entry): string {
  const { deprecation, sunset } = response.headers
  if (deprecation === undefined) return ''
  return ` ${operationId ?? 'The operation'} is deprecated${sunset === undefined || Number.isNaN(Date.parse(sunset)) ? '' : ` and is removed on ${sunset.slice(5, 16)}`}.`
}

const keyName = ({ key, plan }: Entry): string =>
  key === null ? 'the caller without a key' : isMasked(key) ? `the ${plan ?? 'unknown'} key` : key
