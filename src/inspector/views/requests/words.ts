import { plural } from '../../../text/plural.ts'
import { isMarked, SLOW } from '../../data/filter.ts'
import type { Entry } from '../../data/types.ts'
import { isJson } from '../../text/json.ts'
import { amount, brief, distance, sentence, took, UNLIMITED } from '../../text/text.ts'

type Finding = Entry['findings'][number]

type Tone = 'plain' | 'warn' | 'bad'

/** A finding, or another note, in the row of a request. */
interface RowFinding {
  readonly text: string
  readonly tone: Tone
  /** Findings that differ only in a number have the same kind. */
  readonly kind: string
}

/** The notes in the row of a request, or of a run: findings, the reason, and the time if it is long. */
export function findingsOf(entry: Entry, run: readonly Entry[] = [entry]): readonly RowFinding[] {
  if (!isMarked(entry)) return []
  const { reason, ms, effect, findings, decision } = entry
  const early = run.flatMap(({ findings }) => findings.flatMap(({ earlyMs = [] }) => earlyMs))
  const others = findings
    .filter(({ kind, text }) => kind !== 'early-retry' && !text.includes(entry.why))
    .map(({ kind }): RowFinding => {
      const alike = run.flatMap(({ findings }) => findings.filter((each) => each.kind === kind))
      const [first = '', ...differing] = new Set(alike.map(shortOf))
      const shared = kind === 'duplicate' ? 'possible duplicate' : kind.replaceAll('-', ' ')
      const text = differing.length === 0 ? first : shared
      return { text, kind, tone: kind === 'hold-timeout' || kind === 'violation' ? 'bad' : 'warn' }
    })
  // These findings say more than the reason.
  const isTold =
    (early.length > 0 && decision === 'refused:window') ||
    findings.some(({ kind }) => kind === 'hold-timeout')
  const found: RowFinding[] = []
  if (early.length > 0) found.push({ text: `${earlyBy(early)} too early`, kind: 'early-retry', tone: 'warn' })
  if (!isTold && reason.short !== '')
    found.push({ text: reason.short, kind: reason.short, tone: toneOf(entry) })
  found.push(...others)
  if (ms > SLOW && !effect) found.push({ text: `took ${took(ms)}`, kind: 'took', tone: 'plain' })
  return found
}

/** The time by which retries came too early: `37.2 s`, as in the text of the finding, or `47.5 to 54.1 s`. */
export const earlyBy = (lengths: readonly number[]): string =>
  [...new Set([Math.min(...lengths), Math.max(...lengths)].map(took))]
    .join(' to ')
    .replace(/ (m?s)(?= to \S+ \1$)/, '')

/** The short form of a finding; the detail shows the full text. */
function shortOf({ kind, text, inputs: [input, ...others] = [], more = 0, texts }: Finding): string {
  if (texts) return plural(texts.length, 'violation')
  if (input === undefined) return kind === 'deprecated-call' ? 'deprecated' : text
  const rest = others.length + more
  const name = brief(input.slice(input.indexOf(' ') + 1), rest > 0 ? 8 : 20)
  return `${name}${rest > 0 ? ` and ${amount(rest)} more` : ' was'} ignored`
}

function toneOf({ decision, status, effect }: Entry): Tone {
  if (effect && effect.kind !== 'late') return 'bad'
  if (status >= 500 || decision === 'refused:ban') return 'bad'
  return decision === 'refused:window' ? 'warn' : 'plain'
}

/** The reason of the answer, what the client should have done, and other notes. */
export function why(entry: Entry, now: number): string {
  const { until, fix } = entry.reason
  const more = entry.findings.filter(({ text }) => text !== entry.why).map(({ text }) => `${sentence(text)}.`)
  const at = Date.parse(until ?? '')
  const left = until === undefined ? [] : [`That ${at < now ? 'was' : 'is'} ${distance(at, now)}.`]
  return [entry.why, ...left, ...more, ...(fix === undefined ? [] : [fix])].join(' ')
}

/** The remaining requests of the minute; undefined if there is no limit, or no valid key. */
export function remainingOf({ quota }: Entry): number | undefined {
  const minute = quota?.after.minute
  return !minute || minute.limit === UNLIMITED ? undefined : minute.remaining
}

/** The name of the key of a journal entry. */
export const keyOfEntry = ({ key, keyName, plan }: Entry): string =>
  keyName ?? (key === null ? 'no key' : plan === null && key.includes('…') ? 'unknown key' : key)

type NamedValue = readonly [name: string, value: string]
export type NamedValues = readonly NamedValue[]

/** The name of a pet that a body has; empty if it has none. */
const nameIn = (body: string): unknown => (isJson(body) && JSON.parse(body)?.name) || ''

/** The values that the request changed, before and after. */
export function changesOf({ quota, changed, effect, request }: Entry): NamedValues {
  const values = (['minute', 'day'] as const).flatMap((name): NamedValue[] => {
    if (!quota || quota.after[name].limit === UNLIMITED) return []
    const [before, after] = [quota.before[name].remaining, quota.after[name].remaining]
    const note = before === after ? ', not counted' : ''
    return [[name, `${amount(before)} → ${amount(after)} of ${amount(quota.after[name].limit)}${note}`]]
  })
  const { pets, change, id } = changed ?? {}
  if (pets) {
    const text = `${amount(pets.before)} → ${amount(pets.after)}, ${change} ${id} ${nameIn(request.body)}`
    values.push(['pets', text.trimEnd()])
  }
  if (effect) values.push(['rule', `${effect.rule}, ${effect.carriedOut ? '' : 'not '}carried out`])
  return values
}
