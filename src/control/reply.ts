import { stringifyJson } from '../contract/openapi/json.ts'
import { shorten } from '../text/shorten.ts'
import { byteLength } from '../text/utf8.ts'
import { type Eventually, orElse } from '../time/eventually.ts'
import { type Slices, textIn } from '../time/slices.ts'
import { ApiError, internalError } from '../world/api-error.ts'
import { CONTROL_PATH } from '../world/traffic/address.ts'
import type { Reply } from '../world/traffic/message.ts'
import { NEW_NAMESPACE } from '../world/worlds.ts'

/** A reply with a status that the type knows. */
export type StatusReply<Status extends number> = Reply & { readonly status: Status }

declare const VALUE: unique symbol

/** A reply whose body is the JSON of a value of this type. */
export type JsonReply<Status extends number, Value> = StatusReply<Status> & { readonly [VALUE]: Value }

const NO_STORE = ['Cache-Control', 'no-store']

export const textReply = <const Status extends number>(
  status: Status,
  body: string,
  mediaType: string,
  headers: readonly string[] = [],
): StatusReply<Status> => ({
  status,
  headers: ['Content-Type', mediaType, 'Content-Length', String(byteLength(body)), ...NO_STORE, ...headers],
  body,
})

/** A long text that is made in slices while it is read. Its length is not known in advance. */
export const slicedReply = <Value>(
  slices: Slices,
  parts: Iterable<string> | AsyncIterable<string>,
  mediaType: string,
  headers: readonly string[] = [],
): JsonReply<200, Value> =>
  ({
    status: 200,
    headers: ['Content-Type', mediaType, ...NO_STORE, ...headers],
    body: undefined,
    slices: slices.text(parts),
  }) as StatusReply<200> as JsonReply<200, Value>

/** A long JSON text that is made in slices before it is sent, so that its length is known. */
export const wholeReply = <Value>(
  slices: Slices,
  parts: Iterable<string>,
  headers?: readonly string[],
): Promise<JsonReply<200, Value>> =>
  slices.run(textIn(parts)).then((json) => writtenReply<200, Value>(200, json, headers))

export const jsonReply = <const Status extends number, const Value>(
  status: Status,
  value: Value,
  headers?: readonly string[],
): JsonReply<Status, Value> => writtenReply(status, stringifyJson(value), headers)

/** A reply whose JSON was already written. */
export const writtenReply = <Status extends number, Value>(
  status: Status,
  json: string,
  headers?: readonly string[],
): JsonReply<Status, Value> =>
  textReply(status, json, 'application/json', headers) as JsonReply<Status, Value>

export const NO_CONTENT: StatusReply<204> = { status: 204, headers: NO_STORE, body: undefined }

/** The reply for a refusal. */
export const refusalReply = ({ code, message, status, headers }: ApiError): Reply =>
  jsonReply(status, { code, message, status }, headers)

/** The reply of `act`; the refusal if it throws or rejects. `refused` is then called with the error. */
export function attempt(
  { onFailure }: { readonly onFailure: (error: unknown) => void },
  act: () => Eventually<Reply>,
  refused = (_error: unknown) => {},
): Eventually<Reply> {
  return orElse(act, (error) => {
    refused(error)
    // An invalid fixture is answered as an invalid request.
    if (error instanceof Error && error.name === 'FixtureError')
      return refusalReply(new ApiError('invalid_body', error.message))
    if (error instanceof ApiError)
      return { ...refusalReply(error), ...(error.code === 'body_too_large' && { close: true }) }
    onFailure(error)
    return refusalReply(internalError())
  })
}

/** The reply to a read of a namespace that does not exist. */
export const withNewNamespace = (reply: Reply): Reply => ({
  ...reply,
  headers: [...reply.headers, ...NEW_NAMESPACE],
})

export const notFound = (what: string): ApiError => new ApiError('not_found', what)

type Listed = 'fault' | 'hold' | 'key' | 'namespace' | 'request' | 'snapshot'

/** The refusal of an unknown name. `where`: the list in which it is missing. */
export function noSuch(what: Listed, name: string, where = ''): ApiError {
  const command = what === 'snapshot' ? what : `${what}s`
  return notFound(
    `There is no ${what} ${shorten(name, 100)}${where}. List them with petstore-sandbox ${command} or GET ${CONTROL_PATH}/${what}s.`,
  )
}
