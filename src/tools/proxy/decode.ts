import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { errorCode, errorMessage } from '../../text/error.ts'
import { inMiB } from '../../text/in-thousands.ts'
import { decodeUtf8, textOf, withoutMark } from '../../text/utf8.ts'
import { fieldElements, fieldValue, isJsonType, type Reply } from '../../world/traffic/message.ts'

type Undo = (bytes: Uint8Array, options: zlib.ZlibOptions) => Promise<Uint8Array>

/** The largest decompressed body that is validated, in bytes. */
const DECODE_LIMIT = 8 * 1024 * 1024

/** The limit of content encodings of a body: each can enlarge it a thousand times. */
const MAX_ENCODINGS = 3

const gunzip: Undo = promisify(zlib.gunzip)
const inflate: Undo = promisify(zlib.inflate)
const inflateRaw: Undo = promisify(zlib.inflateRaw)

const DECODERS: Readonly<Record<string, Undo>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  // Some servers send deflate data without a zlib header.
  deflate: (bytes, options) =>
    inflate(bytes, options).catch((error: unknown) => {
      if (isTooLarge(error)) throw error
      return inflateRaw(bytes, options)
    }),
  br: promisify(zlib.brotliDecompress) as Undo,
  // Node has zstd from 22.15 on.
  ...('zstdDecompress' in zlib && { zstd: promisify(zlib.zstdDecompress as never) as Undo }),
  identity: async (bytes) => bytes,
}

/** A body as text. `unreadable`: why it is not possible to decode it. */
type Decoded = { readonly body: string; readonly unreadable?: string }

/** Decompresses a body by its Content-Encoding. */
export async function decompressBody(headers: readonly string[], body: Reply['body']): Promise<Decoded> {
  if (typeof body === 'string' || body === undefined || body.length === 0)
    return { body: body?.toString() ?? '' }
  const encodings = fieldElements(headers, 'content-encoding').map((name) => name.toLowerCase())
  if (encodings.length > MAX_ENCODINGS)
    return unreadable(`it has ${encodings.length} Content-Encodings; at most ${MAX_ENCODINGS} are decoded`)
  let bytes = body
  for (const encoding of encodings.reverse()) {
    const decode = Object.hasOwn(DECODERS, encoding) && DECODERS[encoding]
    if (!decode) return unreadable(`its Content-Encoding ${encoding} is not supported`)
    try {
      bytes = await decode(bytes, { maxOutputLength: DECODE_LIMIT })
    } catch (error) {
      return unreadable(isTooLarge(error) ? TOO_LARGE : `it is not ${encoding}: ${errorMessage(error)}`)
    }
  }
  if (bytes.length > DECODE_LIMIT) return unreadable(TOO_LARGE)
  const text = textOf(bytes)
  if (text === undefined && isJsonType(fieldValue(headers, 'content-type') ?? ''))
    return unreadable('it is not UTF-8, as JSON must be')
  return { body: withoutMark(text ?? decodeUtf8(bytes)) }
}

const unreadable = (why: string): Decoded => ({ body: '', unreadable: why })

const TOO_LARGE = `it is larger than ${inMiB(DECODE_LIMIT)}, which is the limit`

const isTooLarge = (error: unknown): boolean => errorCode(error) === 'ERR_BUFFER_TOO_LARGE'
