import type { Entry } from './types.ts'

type Test = (entry: Entry) => boolean

/**
 * The text of the list's filter: words, all of which must be found in path, headers or bodies, and
 * `status:4xx`, `operation:createPet`, `key:psk_free`, `decision:refused`, `method:post`, `finding:duplicate`,
 * `test:"adds a pet"` and `is:warned`.
 * A minus in front of a word excludes.
 */
export function filterOf(text: string): Test {
  const tests = (text.match(/-?[a-z]+:"[^"]*"|-?"[^"]*"|\S+/gi) ?? []).map(testOf)
  return (entry) => tests.every((test) => test(entry))
}

function testOf(word: string): Test {
  if (word.startsWith('-') && word.length > 1) {
    const test = testOf(word.slice(1))
    return (entry) => !test(entry)
  }
  const [, name = '', given = ''] = /^([a-z]+):(.*)$/is.exec(word) ?? []
  const value = unquoted(given).toLowerCase()
  const field = FIELDS[name.toLowerCase()]
  if (field && value !== '') return (entry) => field(entry, value)
  if (field) return () => true
  const wanted = unquoted(word).toLowerCase()
  return (entry) => textOf(entry).includes(wanted)
}

const unquoted = (text: string): string => text.replace(/^"(.*)"$/s, '$1')

const FIELDS: Readonly<Record<string, (entry: Entry, value: string) => boolean>> = {
  status: ({ status }, value) => {
    const shown = status === 0 ? 'none' : String(status)
    return value === 'none' || value === '0'
      ? status === 0
      : new RegExp(`^${value.replace(/[^0-9]/g, '.')}`).test(shown)
  },
  operation: ({ operationId }, value) => (operationId ?? 'none').toLowerCase() === value,
  key: ({ key, plan }, value) =>
    key?.toLowerCase().startsWith(value) === true || `psk_${plan}` === value || plan === value,
  plan: ({ plan }, value) => plan === value,
  decision: ({ decision }, value) => decision.toLowerCase().startsWith(value),
  method: ({ method }, value) => method.toLowerCase() === value,
  id: ({ id }, value) => id === value,
  finding: ({ findings }, value) => findings.some(({ kind }) => kind.startsWith(value)),
  test: ({ test = '' }, value) => test.toLowerCase().includes(value),
  is: (entry, value) =>
    value === 'warned'
      ? entry.warnings.length > 0
      : value === 'deprecated' && entry.findings.some(({ kind }) => kind === 'deprecated-call'),
}

function textOf({ method, path, query, request, response, warnings, id }: Entry): string {
  const headers = [request.headers, response.headers].flatMap((all) =>
    Object.entries(all).map((each) => each.join(': ')),
  )
  return [id, method, path, query, ...headers, request.body, response.body, ...warnings]
    .join('\n')
    .toLowerCase()
}
