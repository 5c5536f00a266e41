import { isObject, parseJson } from '../contract/openapi/json.ts'
import { inMiB } from '../text/in-thousands.ts'
import { plural } from '../text/plural.ts'
import { isShowable } from '../time/instant.ts'
import { fieldPairs } from '../world/traffic/message.ts'
import {
  RECORDING_VERSION,
  type RecordedChange,
  type RecordedCommand,
  type RecordedLine,
  type RecordedReply,
  type RecordedRequest,
  type Recording,
  RecordingError,
  type RecordingHead,
} from './recording.ts'

/** The memory limit for the lines of a recording, in bytes: a small file, from anywhere, can unpack to a large one. */
const MAX_KEPT = 768 * 1024 * 1024

/** About how many bytes a JSON value takes in addition to its text. */
const VALUE_BYTES = 32

/** About how many bytes a message takes in addition to its text, and each name or value of its header fields. */
const MESSAGE_BYTES = 200
const FIELD_BYTES = 8

/** Reads a recording line by line. The last line may be cut off. */
export class RecordingReader {
  /** About how many bytes it takes so far. */
  kept = 0
  readonly #limit: number
  #head: RecordingHead | undefined
  #lines = 0
  /** The number of a line that is not a JSON object. */
  #cut: number | undefined
  readonly #commands: RecordedCommand[] = []
  readonly #changes: RecordedChange[] = []
  readonly #requests = new Map<number, RecordedRequest>()
  readonly #replies = new Map<number, RecordedReply>()
  #endedAt: number | undefined

  /** `limit`: of memory, in bytes. */
  constructor(limit: number = MAX_KEPT) {
    this.#limit = limit
  }

  /** Throws a RecordingError if the line is invalid, follows one that was cut off, or takes too much memory. */
  read(line: string): void {
    this.#lines++
    if (line.trim() === '') return
    if (this.#cut) throw new RecordingError(`Line ${this.#cut} is damaged`, 'get the file again')
    // Checked before the line is parsed: the parsed value can take twenty times as much.
    const bytes = line.length + VALUE_BYTES * valuesIn(line)
    this.#keep(bytes)
    if (!this.#head) {
      this.#head = headOf(line)
      return
    }
    if (RECORDING_START.test(line))
      throw new RecordingError(`Line ${this.#lines} begins another recording`, 'replay each by itself')
    const found = objectIn<RecordedLine>(line, JSON.parse)
    if (!found) {
      this.#cut = this.#lines
      return
    }
    if (!isLine(found))
      throw new RecordingError(`Line ${this.#lines} is not a line of a recording`, 'record again')
    const message = this.#take(found)
    if (message) this.#keep(MESSAGE_BYTES + FIELD_BYTES * message.headers.length)
    else if (!found.keys && found.from === undefined) this.kept -= bytes
  }

  get recording(): Recording {
    return {
      head: this.#head ?? headOf(''),
      commands: this.#commands,
      changes: this.#changes,
      replies: this.#replies,
      endedAt: this.#endedAt,
    }
  }

  /** The message of a line, if any. */
  #take(line: RecordedLine): RecordedRequest | RecordedReply | undefined {
    const { n, from, at, requestOf, refused, keys, reply, headersOf, bodyOf, end } = line
    const request = requestOf === undefined ? line.request : earlier(this.#requests, requestOf, 'request')
    const step = at !== undefined && { ...(from !== undefined && { from }), at, replied: this.#replies.size }
    if (n !== undefined && step && request) {
      if (this.#requests.has(n))
        throw new RecordingError(`Line ${this.#lines} has the number ${n} of an earlier request`, RENUMBER)
      const complete = withHeadersOf(request, headersOf, this.#requests)
      this.#requests.set(n, complete)
      this.#commands.push({ n, ...step, request: complete, ...(refused && { refused }) })
      return complete
    }
    if (n === undefined && step && (from !== undefined || keys)) {
      const after = this.#commands.at(-1)?.n ?? 0
      this.#changes.push({ after, ...step, ...(keys && { keys }) })
    } else if (n !== undefined && reply) {
      const other = bodyOf === undefined ? undefined : this.#replies.get(bodyOf)
      const complete = withBodyOf(withHeadersOf(reply, headersOf, this.#replies), other)
      this.#replies.set(n, complete)
      return complete
    } else if (end !== undefined) this.#endedAt = at
    return undefined
  }

  #keep(bytes: number): void {
    this.kept += bytes
    if (this.kept <= this.#limit) return
    throw new RecordingError(
      `Its first ${plural(this.#lines, 'line takes', 'lines take')} more than ${inMiB(this.#limit)} of memory, which is the limit`,
      'record less at a time',
    )
  }
}

/** About how many values a JSON text contains: each follows a bracket or a comma outside of strings. */
function valuesIn(text: string): number {
  let values = 0
  let isString = false
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === BACKSLASH) i++
    else if (char === QUOTE) isString = !isString
    else if (!isString && (char === COMMA || char === BRACE || char === BRACKET)) values++
  }
  return values
}

const [QUOTE, COMMA, BRACKET, BACKSLASH, BRACE] = [0x22, 0x2c, 0x5b, 0x5c, 0x7b]

function earlier<M>(messages: ReadonlyMap<number, M>, n: number, part: string): M {
  const message = messages.get(n)
  if (message) return message
  throw new RecordingError(`It refers to the ${part} of message ${n}, which is missing`, 'record again')
}

function withHeadersOf<M extends RecordedRequest | RecordedReply>(
  message: M,
  headersOf: number | undefined,
  messages: ReadonlyMap<number, M>,
): M {
  if (headersOf === undefined) return message
  const other = earlier(messages, headersOf, 'header fields')
  if (message.headers.length === 0) return { ...message, headers: other.headers }
  const changed = new Map(fieldPairs(message.headers))
  const headers = fieldPairs(other.headers).flatMap(([name, value]) => [name, changed.get(name) ?? value])
  return { ...message, headers }
}

function withBodyOf(reply: RecordedReply, other: RecordedReply | undefined): RecordedReply {
  return other && 'body' in other && other.body !== undefined ? { ...reply, body: other.body } : reply
}

const VERSION_FORM = /^\d+\.\d+\.\d+(?:-[\w.-]+)?$/
/** The first characters of every recording. */
export const RECORDING_START = /^\ufeff?\{"recording":\d/
const RENUMBER = 'give each request, with its response, a number of its own'
const MAKE_ONE = 'make one with petstore-sandbox exec --record <file> -- <command>'

function headOf(line: string): RecordingHead {
  const head = objectIn<Partial<RecordingHead>>(line, parseJson) ?? {}
  const { recording, startedAt, at, waiting, origin, overlay = '', options, start } = head
  if (typeof recording !== 'number') {
    if (RECORDING_START.test(line))
      throw new RecordingError('Its first line is cut off or damaged', 'get the file again')
    throw new RecordingError('It is not a recording', MAKE_ONE)
  }
  if (recording > RECORDING_VERSION) {
    // It becomes a part of a command that users run, in which other text could name another package.
    const [version] = (typeof head.version === 'string' && VERSION_FORM.exec(head.version)) || []
    throw new RecordingError(
      `It is a recording of petstore-sandbox ${version ?? 'of a newer version'} in format ${recording}`,
      `this version reads up to ${RECORDING_VERSION}. Replay it with npx petstore-sandbox@${version ?? 'latest'}`,
    )
  }
  const isComplete =
    recording >= 1 &&
    [origin, head.version, overlay].every((text) => typeof text === 'string') &&
    typeof startedAt === 'string' &&
    [at, waiting].every(isNumber) &&
    isShowable(Date.parse(startedAt) + (at ?? 0)) &&
    isObject(options) &&
    Array.isArray(start?.fixture?.pets) &&
    Array.isArray(start.fixture.keys) &&
    isObject(start.namespaces)
  if (!isComplete) throw new RecordingError('Its first line is incomplete or damaged', 'record again')
  return head as RecordingHead
}

/** In milliseconds. A Date can represent about twenty times as much. */
const MAX_NUMBER = Date.UTC(9999, 11, 31)

const isNumber = (value: unknown): boolean =>
  value === undefined || (typeof value === 'number' && Math.abs(value) <= MAX_NUMBER)

/** Validates a line: a recording may come from anywhere. */
function isLine(line: RecordedLine): boolean {
  const { request, reply, keys } = line
  const isRequest =
    request === undefined ||
    (isMessage(request) && typeof request.method === 'string' && typeof request.target === 'string')
  const isReply = reply === undefined || (isMessage(reply) && typeof reply.status === 'number')
  const areKeys =
    keys === undefined || (Array.isArray(keys) && keys.every((each) => typeof each?.key === 'string'))
  return isRequest && isReply && areKeys && NUMBERS.every((name) => isNumber(line[name]))
}

const NUMBERS = ['n', 'from', 'at', 'end', 'requestOf', 'headersOf', 'bodyOf'] as const

function isMessage(message: RecordedRequest | RecordedReply): boolean {
  if (typeof message !== 'object' || message === null || !Array.isArray(message.headers)) return false
  const { headers, body, base64, sha256 } = { body: '', base64: '', sha256: '', ...message }
  return (
    headers.length % 2 === 0 &&
    [...headers, body, base64, sha256].every((each) => typeof each === 'string') &&
    base64.length % 4 === 0 &&
    /^[A-Za-z\d+/]*={0,2}$/.test(base64)
  )
}

/** Undefined if the text is not a JSON object. */
function objectIn<T extends object>(text: string, parse: (text: string) => unknown): T | undefined {
  try {
    const value = parse(text)
    return isObject(value) ? (value as T) : undefined
  } catch {
    return undefined
  }
}
