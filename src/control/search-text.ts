import type { JournalEntry } from '../contract/generated/control.types.d.ts'

/** The texts of a request that `q` and the filter of the inspector search, in lower case. */
export function searchText({ request, response, reason, test = '', ...entry }: JournalEntry): string {
  const { id, method, path, query, why, findings, warnings } = entry
  const headers = [request.headers, response.headers].flatMap((all) =>
    Object.entries(all).map((each) => each.join(': ')),
  )
  const found = findings.flatMap(({ kind, text }) => [kind, text])
  const parts = [id, method, path, query, test, why, reason.short, ...found, ...warnings]
  return [...parts, ...headers, request.body, response.body].join('\n').toLowerCase()
}
