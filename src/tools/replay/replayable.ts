import { readFile } from 'node:fs/promises'
import { namespaceNamed } from '../../api/identify.ts'
import { UsageError } from '../../config/usage-error.ts'
import { animalStoreContract } from '../../contract/animal-store.ts'
import { VERSION } from '../../contract/version.ts'
import { loadFixture } from '../../node/files/load.ts'
import { readRecordingFile } from '../../node/files/recording-reader.ts'
import { objectIn } from '../../past/parse-recording.ts'
import type { RecordedCommand, RecordedReply, RecordedRequest, Recording } from '../../past/recording.ts'
import { RecordingError } from '../../past/recording.ts'
import { listed } from '../../text/listed.ts'
import { plural } from '../../text/plural.ts'
import { shorten } from '../../text/shorten.ts'
import { builtInKey } from '../../world/keys/built-in-keys.ts'
import { DEFAULT_ORIGIN } from '../../world/traffic/address.ts'
import { fieldValue } from '../../world/traffic/message.ts'

/** Header fields that are not replayed: those of the connection, and credentials of another service. */
const LEFT_OUT = /^(:.*|authorization|connection|content-length|cookie|host|transfer-encoding)$/i

interface HarField {
  readonly name: string
  readonly value: string
}

interface HarEntry {
  readonly startedDateTime?: string
  readonly request?: {
    readonly method: string
    readonly url: string
    readonly headers: readonly HarField[]
    readonly bodySize?: number
    readonly postData?: { readonly text?: string }
  }
  readonly response?: {
    readonly status: number
    readonly headers: readonly HarField[]
    readonly content?: { readonly size?: number; readonly text?: string; readonly encoding?: string }
  }
}

/**
 * Reads a recording, or a HAR (by the extension), whose first state is unknown. `notices` are for users, such as the
 * entries of a HAR that are no requests to the API. Rejects with a RecordingError.
 */
export async function readReplayable(file: string) {
  if (typeof file !== 'string' || file === '')
    throw new RecordingError(`"${file}" is not the name of a file`, 'name a recording or a HAR')
  if (file.endsWith('.har')) return readHar(file)
  const recording = await readRecordingFile(file)
  return { recording, notices: recordingNotices(recording), isHar: false }
}

/**
 * Reads a HAR that a browser saved. Its requests to `/v1`, of any host, become commands on the fixture `default`.
 * Rejects with a RecordingError.
 */
async function readHar(file: string) {
  const text = await readFile(file, 'utf8').catch(({ message }: Error) => {
    throw new RecordingError(`${file} cannot be read: ${message}`, 'check its path')
  })
  const { log } = objectIn<{ log?: { entries?: unknown } }>(text, JSON.parse) ?? {}
  if (!Array.isArray(log?.entries))
    throw new RecordingError(
      `${file} is not a HAR: it has no log.entries`,
      'save one in the network panel of a browser',
    )
  const { petShape } = animalStoreContract()
  const read = recordingOfHar(log.entries, await loadFixture('default', petShape))
  if (read.recording.commands.length > 0) return read
  const problem = [`${file} has no request to replay`, ...read.notices].join('. ')
  throw new RecordingError(problem, 'save one with requests to /v1')
}

function recordingOfHar(entries: readonly unknown[], fixture: Recording['head']['start']['fixture']) {
  const read = entries.map(readEntry)
  const skipped = read.filter((each) => typeof each === 'string')
  const requests = read.filter((each) => typeof each !== 'string').toSorted((a, b) => a.at - b.at)
  const [first, last] = [requests[0]?.at ?? 0, requests.at(-1)?.at ?? 0]
  const recording: Recording = {
    head: {
      ...{ recording: 1, version: VERSION, startedAt: new Date(first).toISOString(), origin: DEFAULT_ORIGIN },
      ...{ options: {}, contract: '', start: { fixture, namespaces: {} } },
    },
    commands: requests.map(({ at, request }, i) => ({ n: i + 1, at: at - first, request, replied: 0 })),
    changes: [],
    replies: new Map(requests.flatMap(({ reply }, i) => (reply ? [[i + 1, reply] as const] : []))),
    endedAt: last - first,
  }
  const replaced = requests.filter(({ isReplaced }) => isReplaced).length
  return {
    recording,
    isHar: true,
    notices: [
      replaced > 0 && `${plural(replaced, 'request')} without a key of the sandbox got psk_pro.`,
      skipped.length > 0 && `Skipped ${plural(skipped.length, 'entry', 'entries')}: ${listed(skipped, 10)}`,
    ].filter((notice) => notice !== false),
  }
}

/** The key of a request, if it is built in, possibly with a suffix. Browsers often remove keys from a HAR. */
function keyOf(headers: readonly HarField[]): string | undefined {
  const sent = headers.find(({ name }) => /^authorization$/i.test(String(name)))?.value
  const [, key = ''] = /^Bearer +([\w.-]+)$/i.exec(String(sent)) ?? []
  return builtInKey(key.replace(/\.[\w-]+$/, '')) && key
}

/** Validates an entry: a HAR may come from anywhere. A text says which one is left out, and why. */
function readEntry(entry: unknown, i: number) {
  const { startedDateTime, request, response } = (entry ?? {}) as HarEntry
  const at = Date.parse(String(startedDateTime))
  if (typeof request?.method !== 'string' || !URL.canParse(request.url)) return `entry ${i + 1} (no request)`
  if (!Array.isArray(request.headers)) return `entry ${i + 1} (its request has no list of headers)`
  const { method, postData, bodySize = 0 } = request
  const { pathname, search } = new URL(request.url)
  const named = `${method} ${shorten(request.url)}`
  if (!/^\/v1(\/|$)/.test(pathname)) return `${named} (not to /v1)`
  if (!(at >= 0)) return `${named} (no instant)`
  const body = postData?.text
  if (body === undefined && bodySize > 0) return `${named} (the HAR lacks its body)`
  const key = keyOf(request.headers)
  const headers = [...fieldsOf(request.headers), 'Authorization', `Bearer ${key ?? 'psk_pro'}`]
  const sent: RecordedRequest = {
    method,
    target: pathname + search,
    headers,
    ...(body !== undefined && { body }),
  }
  return { at, isReplaced: key === undefined, request: sent, reply: replyOf(response) }
}

/** Undefined for a request without a response, for which browsers save the status 0. */
function replyOf(response: HarEntry['response']): RecordedReply | undefined {
  if (!response?.status || !Array.isArray(response.headers)) return undefined
  const { text, encoding, size } = response.content ?? {}
  const content =
    encoding === 'base64'
      ? { base64: `${text}` }
      : // A body that the HAR lacks is as one that was too long to be recorded.
        text === undefined && size !== 0
        ? { sha256: '' }
        : { body: `${text ?? ''}` }
  return { status: response.status, headers: fieldsOf(response.headers), ...content }
}

const fieldsOf = (fields: readonly HarField[]): string[] =>
  fields
    .filter(({ name, value }) => typeof value === 'string' && !LEFT_OUT.test(String(name)))
    .flatMap(({ name, value }) => [name, value])

export interface ReplayOptions {
  /** The number of a command or the id of a request: the last command to replay. */
  readonly until?: number | string
}

/** The commands up to one of them. Throws a UsageError if there is none, or if several have that id. */
export function commandsUntil({ commands, replies }: Recording, until: number | string | undefined) {
  if (until === undefined) return commands
  const n = /^\d+$/.test(String(until)) ? Number(until) : undefined
  const idOf = (command: RecordedCommand) => fieldValue(replies.get(command.n)?.headers ?? [], 'x-request-id')
  const found = commands.filter((command) => (n === undefined ? idOf(command) === until : command.n === n))
  const [last, ...others] = found
  if (!last) {
    const known = commands.length === 0 ? 'it has no commands' : `it has the commands 1 to ${commands.length}`
    const first = commands.map(idOf).find(Boolean)
    const use = `use one of them${first ? ` or a request id such as ${first}` : ''}`
    throw new UsageError(`There is no "${until}" in the recording: ${known}`, use)
  }
  if (others.length > 0) {
    const shown = found.slice(0, MAX_SHOWN).map(commandText).join(', ')
    const use = `use the number of one of them: ${shown}${found.length > MAX_SHOWN ? ', …' : ''}`
    throw new UsageError(`"${until}" is the id of ${found.length} requests of the recording`, use)
  }
  return commands.slice(0, commands.indexOf(last) + 1)
}

/** Includes the namespace, because each namespace numbers its requests from 1. */
const commandText = ({ n, request: { method, target, headers } }: RecordedCommand): string =>
  `${n} (${method} ${shorten(target)}, namespace ${namespaceNamed(headers)})`

const MAX_SHOWN = 5

/** Notices for users who replay a recording. */
const recordingNotices = ({ head, endedAt }: Recording): string[] =>
  [
    head.version !== VERSION && `Recorded by version ${head.version}; this is ${VERSION}.`,
    head.waiting !== undefined &&
      `${plural(head.waiting, 'request was', 'requests were')} in progress when the recording continued from a checkpoint; their later changes are missing.`,
    endedAt === undefined && 'The recording was cut off; it was replayed as far as it goes.',
  ].filter((notice) => notice !== false)
