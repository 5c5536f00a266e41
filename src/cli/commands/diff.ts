import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ControlClient } from '../../client/control.ts'
import { servedPetShape } from '../../client/pet-shape.ts'
import { openReplay } from '../../compose/replay.ts'
import { loadContract } from '../../compose/start-files.ts'
import { UsageError } from '../../config/usage-error.ts'
import { didYouMean } from '../../contract/decisions/nearest.ts'
import type { StateDiff } from '../../contract/generated/control.types.d.ts'
import { stringifyJson } from '../../contract/openapi/json.ts'
import { FIXTURE_NAMES, formatOf, loadFixture } from '../../node/files/load.ts'
import { type ComparedState, diffOf } from '../../past/state-diff.ts'
import { listed } from '../../text/listed.ts'
import { printableLines } from '../../text/printable.ts'
import { diffRecordings, type RecordingEnd, recordingEnd } from '../../tools/replay/compared.ts'
import { isHarName } from '../../tools/replay/replayable.ts'
import { diffText, requestDifferenceText } from '../../views/diff.ts'
import { type Io, OVERLAYS } from '../command.ts'
import { remote } from '../remote.ts'

const STATES =
  'now, start, snapshot:<name>, fixture:<name>, namespace:<name> or at:<request> (at:req_000007:before)'

export const diff = remote({
  takes: {
    '<a>': `the earlier state: ${STATES} of a running sandbox; a fixture or an export; a recording`,
    '<b>': 'the later state; of two recordings, requests and responses are compared, too',
    ...OVERLAYS,
  },
  examples: [
    'diff snapshot:before now',
    'diff at:req_000007:before at:req_000009 --namespace w1',
    'diff expected.json now',
    'diff green.jsonl.gz red.jsonl.gz',
  ],
  reads: ({ a, b }) => isState(a) || isState(b),
  call: (client, { a, b, overlay }, { isNamed: only, io }) =>
    compare(sourceOf(a, io), sourceOf(b, io), { client, overlay, only, io }),
  output: (text) => text,
})

const isState = (name: string): boolean => /^(now|start)$|^(snapshot|fixture|namespace|at):/.test(name)

interface Source {
  readonly kind: 'running' | 'fixture' | 'recording'
  /** The argument, or the path of the file. */
  readonly name: string
}

interface DiffContext {
  readonly client: ControlClient
  readonly overlay: readonly string[] | undefined
  /** Whether the user named a namespace. */
  readonly only: boolean
  readonly io: Io
}

function sourceOf(name: string, { cwd }: Io): Source {
  if (isState(name)) return { kind: 'running', name }
  if (FIXTURE_NAMES.includes(name)) return { kind: 'fixture', name }
  const file = resolve(cwd, name)
  if (name !== '' && existsSync(file)) return { kind: formatOf(file) ? 'fixture' : 'recording', name: file }
  throw new UsageError(
    `There is no state "${name}": no file has this name`,
    `${didYouMean(name, [...FIXTURE_NAMES, 'now', 'start'])} Use ${STATES}; a fixture (${FIXTURE_NAMES.join(', ')}, or a file that ends in .json, .yaml, .yml, .csv or .tsv); or a recording`,
  )
}

async function compare(a: Source, b: Source, surroundings: DiffContext) {
  const { client, io, only } = surroundings
  const inWords = (found: StateDiff) => diffText(found, io.paint, io.columns)
  if (a.kind === 'running' && b.kind === 'running') {
    const answer = await client.call('GET', '/diff', { query: { a: a.name, b: b.name } })
    return { text: answer.text, value: inWords(answer.value) }
  }
  await using first = await endOf(a, io)
  await using second = await endOf(b, io)
  const { namespace } = client
  // A HAR has no replies to compare: it is a state only.
  if (first && second && !isHarName(a.name) && !isHarName(b.name)) {
    const both = [first, second] as const
    checkNamespace(namespace, both)
    const found = await diffRecordings(both, { namespace, only })
    const request = printableLines(requestDifferenceText(found.request ?? undefined))
    const words = `${request}\nFinal states, in namespace ${namespace}:\n${inWords(found)}`
    const others = `Other namespaces differ, too (--namespace <name>): ${listed(found.alsoDiffer)}\n`
    return { text: stringifyJson(found), value: words + (found.alsoDiffer.length > 0 ? others : '') }
  }
  const found = diffOf(await stateOf(a, b, first, surroundings), await stateOf(b, a, second, surroundings))
  return { text: stringifyJson(found), value: inWords(found) }
}

/** The final state of a recording, which is replayed for it. */
async function endOf({ kind, name }: Source, io: Io): Promise<RecordingEnd | undefined> {
  if (kind !== 'recording') return undefined
  const end = await recordingEnd(await openReplay(name, {}, { listen: false }))
  for (const notice of end.notices) io.talk(`${printableLines(`${name}: ${notice}`)}\n`)
  return end
}

async function stateOf(
  { kind, name }: Source,
  other: Source,
  end: RecordingEnd | undefined,
  { client, overlay }: DiffContext,
): Promise<ComparedState> {
  if (kind === 'running') return (await client.call('GET', '/state', { query: { of: name } })).value
  if (!end) {
    const isBesideRunning = other.kind === 'running' && overlay === undefined
    const shape = isBesideRunning ? await servedPetShape(client) : (await loadContract(overlay)).petShape
    const { pets, nextId } = await loadFixture(name, shape)
    return { pets, nextId }
  }
  checkNamespace(client.namespace, [end])
  return end.state(client.namespace)
}

function checkNamespace(namespace: string, ends: readonly RecordingEnd[]): void {
  const known = [...new Set(ends.flatMap(({ namespaces }) => namespaces))]
  if (known.includes(namespace)) return
  const names = `Namespaces: ${listed(known)}`
  throw new UsageError(`There is no namespace "${namespace}" in the recording`, names)
}
