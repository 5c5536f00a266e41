import type { Report } from '../contract/generated/control.types.d.ts'
import type { Exchange } from '../domain/traffic/exchange.ts'
import { entryOf } from '../domain/traffic/journal-entry.ts'
import { Secrets } from '../domain/traffic/masking.ts'
import { sumReports, Tally } from '../domain/traffic/tally.ts'
import type { World } from '../domain/world/world.ts'
import { analyseBackoff, pausesInWords } from './backoff.ts'
import { evaluateGates, GATES, type GateName, type GateResult, keyText } from './gate.ts'

/** What the clients of all namespaces did together, and whether it was what they are allowed to do. */
export interface RunSummary {
  readonly report: Report
  readonly gates: readonly GateResult[]
  /** Of each key that was refused several times in a row: how it waited, in words. */
  readonly backoff: readonly string[]
}

/** So many lines of a kind are kept; what is counted is counted all the same. */
const MOST_LINES = 20

/**
 * Takes down what clients did before a namespace forgets it: a suite that resets its worlds between two tests is
 * judged by all of them.
 */
export class RunRecorder {
  readonly #gates: readonly GateName[]
  readonly #offenders = new Map<GateName, string[]>()
  readonly #backoff: string[] = []
  #report = new Tally().view([])
  #secrets = new Secrets()

  constructor(gates: readonly GateName[]) {
    this.#gates = gates
  }

  /** What `world` would forget now. */
  takeDown(world: World): void {
    this.#secrets = world.keys.secrets
    const report = world.tally.view([])
    if (report.requests === 0) return
    const exchanges = world.journal.entries()
    const entries = this.#isBroken(report) ? exchanges.map(entryOf) : []
    for (const { gate, offenders } of evaluateGates(this.#gates, report, entries)) {
      const known = this.#offenders.get(gate) ?? []
      this.#offenders.set(gate, [...known, ...offenders].slice(0, MOST_LINES))
    }
    this.#backoff.push(...backoffOf(exchanges).slice(0, MOST_LINES - this.#backoff.length))
    this.#report = sumReports([this.#report, report], [])
  }

  /** A command line as it may be shown: without the keys that any namespace had. */
  shown(words: readonly string[]): string {
    return this.#secrets.maskWords(words).join(' ')
  }

  /** `operations`: those in force, to tell which were never called. */
  conduct(operations: readonly string[]): RunSummary {
    const report = sumReports([this.#report], operations)
    const gates = evaluateGates(this.#gates, report, []).map((result) =>
      result.gate === 'uncovered' ? result : { ...result, offenders: this.#offenders.get(result.gate) ?? [] },
    )
    return { report, gates, backoff: this.#backoff }
  }

  #isBroken(report: Report): boolean {
    return this.#gates.some((gate) => GATES[gate].count(report) > 0)
  }
}

/** How each key waited that was refused several times in a row. */
function backoffOf(exchanges: readonly Exchange[]): string[] {
  if (!exchanges.some(({ status }) => status === 429 || status === 503)) return []
  const byKey = new Map<string, Exchange[]>()
  for (const exchange of exchanges) {
    const { key = '' } = exchange
    const known = byKey.get(key)
    if (known) known.push(exchange)
    else byKey.set(key, [exchange])
  }
  return [...byKey.values()].flatMap((own) => {
    const entries = own.map(entryOf)
    const [first] = entries
    return first
      ? analyseBackoff(entries).pauses.map((pauses) => `${keyText(first)} ${pausesInWords(pauses)}`)
      : []
  })
}
