import type { Exchange } from '../world/traffic/exchange.ts'

/** How many requests were answered since the sandbox was opened, as Prometheus counts them. */
export class RequestCounts {
  readonly #requests = new Map<string, number>()
  readonly #refusals = new Map<string, number>()

  add({ operationId = 'none', status, decision }: Exchange): void {
    addTo(this.#requests, `operation="${operationId}",status="${status}"`)
    const [kind, reason] = decision.split(':')
    if (kind === 'refused') addTo(this.#refusals, `reason="${reason}"`)
  }

  /** In the text format 0.0.4. */
  *lines(): Generator<string> {
    yield* metric('petstore_requests_total', 'counter', 'Requests by operation and status.', this.#requests)
    yield* metric(
      'petstore_refusals_total',
      'counter',
      'Requests refused for their key, a ban, a window or what they send.',
      this.#refusals,
    )
  }
}

const addTo = (counts: Map<string, number>, labels: string): void => {
  counts.set(labels, (counts.get(labels) ?? 0) + 1)
}

/** The lines of one metric; each value has its labels. */
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
