import { judgeBackoff, pausesInWords } from '../domain/backoff.ts'
import type { Conduct } from '../domain/conduct.ts'
import type { JournalEntry } from '../domain/exchange.ts'
import { type GateName, judgeGates, keyText } from '../domain/gate.ts'
import type { KeyView } from '../domain/key.ts'
import type { Report } from '../domain/report.ts'
import type { ControlCall } from './world.ts'

/** Asks a sandbox what its clients did. The journals are read only where there is something to name. */
export async function readConduct(control: ControlCall, gates: readonly GateName[]): Promise<Conduct> {
  const report = (await control('GET', '/report', { query: { namespace: '*' } })) as Report
  const isCalm = report.rateLimited === 0 && report.bans === 0 && report.earlyRetries.count === 0
  const isClean = judgeGates(gates, report, []).every(({ count }) => count === 0)
  if (isCalm && isClean) return { report, gates: judgeGates(gates, report, []), backoff: [] }
  const journals = await readJournals(control)
  const backoff = await Promise.all(
    journals.filter(hasWait).map(({ namespace }) => readBackoff(control, namespace)),
  )
  const entries = journals.flatMap((journal) => journal.entries)
  return { report, gates: judgeGates(gates, report, entries), backoff: backoff.flat() }
}

interface NamespaceJournal {
  readonly namespace: string
  readonly entries: readonly JournalEntry[]
}

async function readJournals(control: ControlCall): Promise<NamespaceJournal[]> {
  const namespaces = (await control('GET', '/namespaces')) as { readonly name: string }[]
  return Promise.all(
    namespaces.map(async ({ name }) => ({
      namespace: name,
      entries: (await control('GET', '/requests', { query: { namespace: name } })) as JournalEntry[],
    })),
  )
}

const hasWait = ({ entries }: NamespaceJournal): boolean =>
  entries.some(({ response }) => response.headers['retry-after'] !== undefined)

/** The journal masks keys, so it is asked for one after the other. */
async function readBackoff(control: ControlCall, namespace: string): Promise<string[]> {
  const keys = (await control('GET', '/keys', { query: { namespace } })) as KeyView[]
  const journals = await Promise.all(
    keys.map(
      ({ key }) => control('GET', '/requests', { query: { namespace, key } }) as Promise<JournalEntry[]>,
    ),
  )
  return journals.flatMap((entries) =>
    judgeBackoff(entries).pauses.map(
      (pauses) => `${keyText(entries[0] as JournalEntry)} ${pausesInWords(pauses)}`,
    ),
  )
}
