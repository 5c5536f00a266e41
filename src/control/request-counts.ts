import type { Exchange } from '../world/traffic/exchange.ts'

/** Counts the answered requests since the start, for Prometheus. */
export class RequestCounts {
  readonly #requests = new Map<string, Map<number, number>>()
  readonly #refusals = new Map<string, number>()

  add({ operationId = 'none', status, decision }: Exchange): void {
    const statuses = this.#requests.get(operationId) ?? new Map<number, number>()
    this.#requests.set(operationId, addTo(statuses, status))
    if (decision.startsWith('refused:'))
      addTo(this.#refusals, decision.replace(/refused:(.+)/, 'reason="$1"'))
  }

  /** In the Prometheus text format, version 0.0.4. */
  *lines(): Generator<string> {
    const requests: [labels: string, count: number][] = []
    for (const [operation, statuses] of this.#requests)
      for (const [status, count] of statuses)
        requests.push([`operation="${escaped(operation)}",status="${status}"`, count])
    yield* metric('petstore_requests_total', 'counter', 'Requests by operation and status.', requests)
    yield* metric(
      'petstore_refusals_total',
      'counter',
      'Requests refused because of their key, a ban, a window or their content.',
      this.#refusals,
    )
  }
}

/** The value of a label. An overlay may name an operation as it likes. */
const escaped = (value: string): string => value.replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', String.raw`\n`)

const addTo = <Of>(counts: Map<Of, number>, of: Of): Map<Of, number> =>
  counts.set(of, (counts.get(of) ?? 0) + 1)

/** The lines of one metric, one for each value with its labels. */
export function* metric(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  values: Iterable<readonly [labels: string, value: number]>,
): Generator<string> {
  yield `# HELP ${name} ${help}`
  yield `# TYPE ${name} ${type}`
  for (const [labels, value] of values) yield `${name}${labels === '' ? '' : `{${labels}}`} ${value}`
}
