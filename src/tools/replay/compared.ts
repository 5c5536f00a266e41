import { connectControl } from '../../client/control.ts'
import type { StateDiff } from '../../contract/generated/control.types.d.ts'
import { readRecordingFile } from '../../node/files/recording-reader.ts'
import type { Replay } from '../../past/difference.ts'
import { recordingsDifference } from '../../past/recordings-diff.ts'
import { type ComparedState, diffOf } from '../../past/state-diff.ts'
import { DEFAULT_NAMESPACE } from '../../world/worlds.ts'

export type RecordingEnd = Awaited<ReturnType<typeof recordingEnd>>

/** A sandbox in which a recording was replayed. */
interface Replayed {
  readonly sandbox: { fetch(request: Request): Promise<Response>; close(): Promise<void> }
  readonly result: Replay
}

/** The final state of a recording, which was replayed in memory: its namespaces, and notices of the replay. */
export async function recordingEnd({ sandbox, result }: Replayed) {
  const client = connectControl({
    url: 'http://localhost',
    namespace: DEFAULT_NAMESPACE,
    fetch: (request) => sandbox.fetch(request),
  })
  const { value } = await client.call('GET', '/namespaces')
  return {
    namespaces: value.map(({ name }) => name),
    async state(namespace: string): Promise<ComparedState> {
      const query = { of: 'now', namespace }
      return (await client.call('GET', '/state', { query })).value
    },
    notices: [...result.notices, ...(result.difference ? [OTHER_REPLIES] : [])],
    [Symbol.asyncDispose]: () => sandbox.close(),
  }
}

const OTHER_REPLIES =
  'Its replay gives other responses, so its final state may differ; see petstore-sandbox replay.'

/**
 * Compares two recordings: the first request that differs, then the final states of a namespace. `alsoDiffer`: other
 * namespaces whose final states differ. `only`: compares that namespace only.
 */
export async function diffRecordings(
  files: readonly [a: string, b: string],
  ends: readonly [a: RecordingEnd, b: RecordingEnd],
  { namespace, only }: { readonly namespace: string; readonly only: boolean },
) {
  const [a, b] = [await readRecordingFile(files[0]), await readRecordingFile(files[1])]
  const request = recordingsDifference(a, b, only ? namespace : undefined) ?? null
  const diffIn = async (name: string) => diffOf(await ends[0].state(name), await ends[1].state(name))
  const diff = await diffIn(namespace)
  const alsoDiffer: string[] = []
  for (const name of new Set(ends.flatMap(({ namespaces }) => namespaces)))
    if (!only && name !== namespace && !isNothing(await diffIn(name))) alsoDiffer.push(name)
  return { ...diff, request, alsoDiffer }
}

const isNothing = ({ added, removed, changed, limits }: StateDiff): boolean =>
  [added, removed, changed, limits].every((part) => (part?.count ?? 0) === 0)
