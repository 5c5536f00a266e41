import { searchText } from '../../control/search-text.ts'
import { grouped } from '../../text/grouped.ts'
import type { Entry } from './types.ts'

/**
 * The filter of the list, as text: words, which must all be in a text of the request, and `field:value`. Several
 * values of one field are alternatives; a minus before a word excludes it. `unknown`: the unknown fields.
 */
export function filterOf(text: string) {
  const unknown: string[] = []
  const tests = wordsOf(text).flatMap((word, index) => {
    const isNot = word.startsWith('-') && word.length > 1
    const wanted = isNot ? word.slice(1) : word
    const [, given = '', value = ''] = /^([a-z]+):(.*)$/is.exec(wanted) ?? []
    const name = given.toLowerCase()
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined
    const sought = unquoted(field ? value : wanted).toLowerCase()
    if (field && sought === '') return []
    // The beginning of a URL is a word, not a field.
    if (!field && name !== '' && !/^https?$/.test(name)) unknown.push(given)
    const test = (entry: Entry) =>
      (field ? field(entry, sought) : searchText(entry).includes(sought)) !== isNot
    return { of: field && !isNot ? name : index, test }
  })
  const groups = [...grouped(tests, ({ of }) => of).values()]
  const matches = (entry: Entry) => groups.every((any) => any.some(({ test }) => test(entry)))
  return { matches, unknown }
}

/** A value of the filter cannot contain quotes, so those in the name of a test do not count. */
const withoutQuotes = (text: string): string => text.replaceAll('"', '')

/** A filter for the requests of a test with exactly this name, or for those without one. */
export const testFilter = (test: string | undefined): string =>
  test === undefined ? 'test:none' : `test:="${withoutQuotes(test)}"`

/** The options of the command `requests` for the same filter; undefined if it has none for a word. */
export function optionsOf(text: string): readonly string[] | undefined {
  const options = wordsOf(text).map((word) => {
    const [, name, value = ''] = /^(status|operation|key):(.+)$/.exec(word) ?? []
    // An issued key has another name here, such as `free key 1`.
    const isIssued = name === 'key' && / key \d+"$/.test(value)
    const sought = isIssued ? '' : unquoted(value).replace(/^none$/, name === 'status' ? '0' : '')
    if (name)
      return sought && (name !== 'status' || /^(0|\d{3}|[1-5]xx)$/.test(sought)) ? [`--${name}`, sought] : []
    return /^-|^[a-z]+:(?!\/\/)/i.test(word) ? [] : ['--search', unquoted(word)]
  })
  const names = new Set(options.map(([name]) => name))
  return names.has(undefined) || names.size < options.length ? undefined : options.flat()
}

export const wordsOf = (text: string): string[] => text.match(/-?[a-z]+:=?"[^"]*"|-?"[^"]*"|\S+/gi) ?? []

const unquoted = (text: string): string => text.replace(/^"(.*)"$/s, '$1')

const FIELDS: Readonly<Record<string, (entry: Entry, value: string) => boolean>> = {
  status: ({ status }, value) =>
    value === 'none' || value === '0'
      ? status === 0
      : /^[1-5][0-9x]{0,2}$/.test(value) && new RegExp(`^${value.replaceAll('x', '.')}`).test(String(status)),
  operation: ({ operationId }, value) => (operationId ?? 'none').toLowerCase() === value,
  key: ({ key, keyName = key }, value) => keyName !== null && keyName.toLowerCase() === value,
  plan: ({ plan }, value) => plan === value,
  decision: ({ decision }, value) => decision.toLowerCase().startsWith(value),
  method: ({ method }, value) => method.toLowerCase() === value,
  id: ({ id }, value) => id === value,
  finding: (entry, value) => (value === 'any' ? isMarked(entry) : hasMark(entry, value)),
  test({ test = '' }, value) {
    const [name, sought] = [withoutQuotes(test).toLowerCase(), withoutQuotes(value)]
    if (sought.startsWith('=')) return name === sought.slice(1)
    return value === 'none' ? name === '' : name.includes(sought)
  },
}

export const FIELD_NAMES = Object.keys(FIELDS)

/** Slower answers have a note in the list, in milliseconds. */
export const SLOW = 100

/** Whether a row has a text in the column of findings. */
export const isMarked = ({ reason, findings, ms }: Entry): boolean =>
  reason.short !== '' || findings.length > 0 || ms > SLOW

/** A finding by its kind, a reason by its words, or `took`. `=banned`: the finding only, which has the name of a reason. */
export const hasMark = ({ reason, findings, ms, effect }: Entry, value: string): boolean =>
  findings.some(({ kind }) => kind.startsWith(value) || value === `=${kind}`) ||
  reason.short.toLowerCase() === value ||
  (value === 'took' && ms > SLOW && !effect)

export const isError = ({ status }: Entry): boolean => status === 0 || status >= 400
