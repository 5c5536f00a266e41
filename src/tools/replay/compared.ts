import { connectControl } from '../../client/control.ts'
import type { StateDiff } from '../../contract/generated/control.types.d.ts'
import type { Replay } from '../../past/difference.ts'
import type { Recording } from '../../past/recording.ts'
import { recordingsDifference } from '../../past/recordings-diff.ts'
import { type ComparedState, diffOf } from '../../past/state-diff.ts'
import { DEFAULT_NAMESPACE } from '../../world/worlds.ts'

export type RecordingEnd = Awaited<ReturnType<typeof recordingEnd>>

/** A sandbox in which a recording was replayed. */
interface Replayed {
  readonly sandbox: { fetch(request: Request): Promise<Response>; close(): Promise<void> }
  readonly result: Replay
  readonly recording: Recording
}

/** The final state of a recording, which was replayed in memory: its namespaces, and notices of the replay. */
export async function recordingEnd({ sandbox, result, recording }: Replayed) {
  const client = connectControl({
    url: 'http://localhost',
    namespace: DEFAULT_NAMESPACE,
    fetch: (request) => sandbox.fetch(request),
  })
  const { value } = await client.call('GET', '/namespaces')
  return {
    recording,
    namespaces: value.map(({ name }) => name),
    async state(namespace: string): Promise<ComparedState> {
      return (await client.call('GET', '/state', { query: { of: 'now', namespace } })).value
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
  [a, b]: readonly [RecordingEnd, RecordingEnd],
  { namespace, only }: { readonly namespace: string; readonly only: boolean },
) {
  const request = recordingsDifference(a.recording, b.recording, only ? namespace : undefined) ?? null
  const diffIn = async (name: string) => diffOf(await a.state(name), await b.state(name))
  const diff = await diffIn(namespace)
  const alsoDiffer: string[] = []
  for (const name of new Set([...a.namespaces, ...b.namespaces]))
    if (!only && name !== namespace && !isNothing(await diffIn(name))) alsoDiffer.push(name)
  return { ...diff, request, alsoDiffer }
}

const isNothing = ({ added, removed, changed, limits }: StateDiff): boolean =>
  [added, removed, changed, limits].every((part) => (part?.count ?? 0) === 0)
