import { readFile } from 'node:fs/promises'
import { namespaceNamed } from '../../api/identify.ts'
import { UsageError } from '../../config/usage-error.ts'
import { animalStoreContract } from '../../contract/animal-store.ts'
import { VERSION } from '../../contract/version.ts'
import { loadFixture } from '../../node/files/load.ts'
import { readRecordingFile } from '../../node/files/recording-reader.ts'
import { sentBody } from '../../past/recorded-lines.ts'
import {
  type RecordedCommand,
  type RecordedReply,
  type RecordedRequest,
  type Recording,
  RecordingError,
} from '../../past/recording.ts'
import { errorMessage, fileReason } from '../../text/error.ts'
import { listed } from '../../text/listed.ts'
import { plural } from '../../text/plural.ts'
import { shorten } from '../../text/shorten.ts'
import { urlOf } from '../../text/url.ts'
import { withoutMark } from '../../text/utf8.ts'
import { builtInKey } from '../../world/keys/built-in-keys.ts'
import { AS_IT_IS } from '../../world/keys/redaction.ts'
import { DEFAULT_ORIGIN } from '../../world/traffic/address.ts'
import { fieldsWhere, fieldValue } from '../../world/traffic/message.ts'

/** Header fields that are not replayed: those of the connection, and credentials of another service. */
const LEFT_OUT = /^(:.*|authorization|connection|content-length|cookie|host|transfer-encoding)$/i

/** A HAR may come from anywhere, so its members may have any type. */
type Unchecked<Name extends string> = { readonly [Each in Name]?: unknown }

/** The members of an entry that are read. */
interface HarEntry extends Unchecked<'startedDateTime'> {
  readonly request?: Unchecked<'method' | 'url' | 'headers' | 'bodySize'> & { readonly postData?: HarBody }
  readonly response?: Unchecked<'status' | 'headers'> & { readonly content?: HarBody }
}

type HarBody = Unchecked<'text' | 'encoding' | 'size' | '_truncated'>

export const isHarName = (file: string): boolean => /\.har$/i.test(file)

/**
 * Reads a recording, or a HAR (by the extension), whose first state is unknown. `notices` are for users, such as the
 * entries of a HAR that are not requests to the API. Rejects with a RecordingError.
 */
export async function readReplayable(file: string) {
  if (typeof file !== 'string' || file === '')
    throw new RecordingError(`"${file}" is not the name of a file`, 'name a recording or a HAR')
  if (isHarName(file)) return readHar(file)
  const recording = await readRecordingFile(file)
  return { recording, notices: recordingNotices(recording), isHar: false }
}

/**
 * Reads a HAR that a browser saved. Its requests to `/v1`, of any host, become commands on the fixture `default`.
 * Rejects with a RecordingError.
 */
async function readHar(file: string) {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new RecordingError(`${file} cannot be read: ${fileReason(error)}`, 'check its path')
  })
  const { petShape } = animalStoreContract()
  const read = recordingOfHar(entriesOf(file, text), await loadFixture('default', petShape))
  if (read.recording.commands.length > 0) return read
  const problem = [`${file} has no request to replay`, ...read.notices].join('. ')
  throw new RecordingError(problem, 'save one with requests to /v1')
}

function entriesOf(file: string, text: string): readonly unknown[] {
  let why = 'it has no log.entries'
  try {
    const { entries } = Object(JSON.parse(withoutMark(text))).log ?? {}
    if (Array.isArray(entries)) return entries
  } catch (error) {
    why = `it is not JSON (${errorMessage(error).replaceAll(/\s+/g, ' ')})`
  }
  throw new RecordingError(`${file} is not a HAR: ${why}`, 'save one in the network panel of a browser')
}

function recordingOfHar(entries: readonly unknown[], fixture: Recording['head']['start']['fixture']) {
  const read = entries.map(readEntry)
  const skipped = read.filter((each) => typeof each === 'string')
  const requests = read.filter((each) => typeof each !== 'string').toSorted((a, b) => a.at - b.at)
  const [first, last] = [requests[0]?.at ?? 0, requests.at(-1)?.at ?? 0]
  const recording: Recording = {
    head: {
      recording: 1,
      version: VERSION,
      startedAt: new Date(first).toISOString(),
      origin: DEFAULT_ORIGIN,
      options: {},
      contract: '',
      start: { fixture, namespaces: {} },
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
function keyOf(headers: readonly string[]): string | undefined {
  const [, key = ''] = /^Bearer +([\w.-]+)$/i.exec(fieldValue(headers, 'authorization') ?? '') ?? []
  return builtInKey(key.replace(/\.[\w-]+$/, '')) && key
}

/** Validates an entry. An entry that is left out becomes a text that names it and says why. */
function readEntry(entry: unknown, i: number) {
  const { startedDateTime, request, response }: HarEntry = Object(entry)
  const { method, url, headers: sent, postData, bodySize }: NonNullable<typeof request> = Object(request)
  const address = typeof url === 'string' ? urlOf(url) : undefined
  if (typeof method !== 'string' || typeof url !== 'string' || !address) return `entry ${i + 1} (no request)`
  if (!Array.isArray(sent)) return `entry ${i + 1} (its request has no list of headers)`
  const named = `${method} ${shorten(url)}`
  if (!/^\/v1(\/|$)/.test(address.pathname)) return `${named} (not to /v1)`
  const at = typeof startedDateTime === 'string' ? Date.parse(startedDateTime) : Number.NaN
  if (!(at >= 0)) return `${named} (no instant)`
  const { text, encoding, _truncated: isCut }: HarBody = Object(postData)
  const fields = fieldsOf(sent)
  // Playwright writes an empty text for a body that is in a file of its own, or that it leaves out; none for a Blob.
  const hasBody = typeof text === 'string' && text !== ''
  const isSent = [bodySize, fieldValue(fields, 'content-length')].some((size) => Number(size) > 0)
  const isMissing = !hasBody && (isSent || (bodySize === -1 && Boolean(postData)))
  if (isMissing || isCut === true) return `${named} (the HAR lacks its body, or a part of it)`
  const [key, reply] = [keyOf(fields), replyOf(response)]
  // The key of a 401 was missing or refused: with another one, the request would be carried out.
  const isReplaced = key === undefined && reply?.status !== 401
  const sentKey = isReplaced ? 'psk_pro' : key
  const headers = [...kept(fields), ...(sentKey ? ['Authorization', `Bearer ${sentKey}`] : [])]
  const target = address.pathname + address.search
  const recorded: RecordedRequest = { method, target, headers, ...(hasBody && contentOf(text, encoding)) }
  return { at, isReplaced, request: recorded, reply }
}

/** Undefined for a request without a response, for which browsers save the status 0, and Playwright -1. */
function replyOf(response: HarEntry['response']): RecordedReply | undefined {
  const { status, headers, content }: NonNullable<typeof response> = Object(response)
  if (typeof status !== 'number' || status <= 0 || !Array.isArray(headers)) return undefined
  return { status, headers: kept(fieldsOf(headers)), ...bodyOf(content ?? {}) }
}

function bodyOf({ text, encoding, size, _truncated: isCut }: HarBody) {
  if (typeof text === 'string' && isCut !== true) return contentOf(text, encoding)
  // A body that the HAR lacks, or has in part, is treated like one that was too long to be recorded.
  return size === 0 ? { body: '' } : { sha256: '' }
}

/** Some programs write every body in Base64, also a text. */
const contentOf = (text: string, encoding: unknown) =>
  encoding === 'base64' ? sentBody(Buffer.from(text, 'base64'), AS_IT_IS) : { body: text }

/** Flat: name, value, … */
const fieldsOf = (fields: readonly unknown[]): string[] =>
  fields.flatMap((field) => {
    const { name, value } = Object(field)
    return typeof name === 'string' && typeof value === 'string' ? [name, value] : []
  })

const kept = (fields: readonly string[]): string[] => fieldsWhere(fields, (name) => !LEFT_OUT.test(name))

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
