import { ApiError } from '../domain/api-error.ts'
import type { Reply } from '../domain/traffic/message.ts'
import { stringifyJson } from '../openapi/json.ts'
import { textInSlices } from './slices.ts'

export const textReply = (
  status: number,
  body: string,
  mediaType: string,
  headers: readonly string[] = [],
): Reply => ({
  status,
  headers: [
    'Content-Type',
    mediaType,
    'Content-Length',
    String(Buffer.byteLength(body)),
    'Cache-Control',
    'no-store',
    ...headers,
  ],
  body,
})

/** A long text in parts; how long it is, nobody knows before its end. */
export const slicedReply = (
  parts: Iterable<string>,
  mediaType: string,
  headers: readonly string[] = [],
): Reply => ({
  status: 200,
  headers: ['Content-Type', mediaType, 'Cache-Control', 'no-store', ...headers],
  body: undefined,
  slices: textInSlices(parts),
})

export const jsonReply = (status: number, value: unknown, headers?: readonly string[]): Reply =>
  textReply(status, stringifyJson(value), 'application/json', headers)

export const NO_CONTENT: Reply = { status: 204, headers: ['Cache-Control', 'no-store'], body: undefined }

/** The Error body of a refusal, with more members where `details` has some. */
export const refusalReply = ({ code, message, status, headers }: ApiError, details: object = {}): Reply =>
  jsonReply(
    status,
    { code, message, status, ...details },
    status === 503 && headers.length === 0 ? ['Retry-After', '1'] : headers,
  )

export const notFound = (what: string): ApiError => new ApiError('not_found', what)
