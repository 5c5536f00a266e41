import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { fieldValues } from '../domain/message.ts'

type Undo = (bytes: Uint8Array, options: zlib.ZlibOptions) => Promise<Uint8Array>

/** What a body may grow to, in bytes. */
const LIMIT = { maxOutputLength: 256 * 1024 * 1024 }

const gunzip: Undo = promisify(zlib.gunzip)
const inflate: Undo = promisify(zlib.inflate)
const inflateRaw: Undo = promisify(zlib.inflateRaw)

const DECODERS: Readonly<Record<string, Undo>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  // What is sent under this name has not always the frame that it should have.
  deflate: (bytes, options) => inflate(bytes, options).catch(() => inflateRaw(bytes, options)),
  br: promisify(zlib.brotliDecompress) as Undo,
  // Node has it from 22.15 on.
  ...('zstdDecompress' in zlib && { zstd: promisify(zlib.zstdDecompress as never) as Undo }),
  identity: async (bytes) => bytes,
}

/** A body as text, whatever its Content-Encoding. Rejects with a RangeError where that cannot be undone. */
export async function decodeBody(
  headers: readonly string[],
  body: string | Uint8Array | undefined,
): Promise<string> {
  if (typeof body === 'string' || body === undefined || body.length === 0) return body?.toString() ?? ''
  const encodings = fieldValues(headers, 'content-encoding')
    .flatMap((value) => value.split(','))
    .map((name) => name.trim().toLowerCase())
  let bytes = body
  for (const encoding of encodings.filter(Boolean).reverse()) bytes = await undo(encoding, bytes)
  return new TextDecoder().decode(bytes)
}

async function undo(encoding: string, bytes: Uint8Array): Promise<Uint8Array> {
  const decode = DECODERS[encoding]
  if (!decode) throw new RangeError(`its Content-Encoding ${encoding} is not known here`)
  try {
    return await decode(bytes, LIMIT)
  } catch (error) {
    throw new RangeError(`it is not ${encoding}: ${(error as Error).message}`)
  }
}
