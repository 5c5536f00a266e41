import { fieldElements, fieldsWhere, fieldValues, type Request, UNKNOWN_ADDRESS } from './message.ts'

const LOOPBACK_ADDRESS = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/i

/** Whether an address is one of this machine only. */
export const isLoopback = (address: string): boolean => LOOPBACK_ADDRESS.test(address)

/** Whether an address to listen on stands for all addresses of this machine. */
export const isUnspecified = (address: string): boolean => address === '0.0.0.0' || address === '::'

/** The host, in a URL, at which this machine reaches a server that listens on an address or a name. */
export function urlHost(listening: string): string {
  if (isUnspecified(listening)) return 'localhost'
  return listening.includes(':') ? `[${listening}]` : listening
}

/** Header fields that reverse proxies add. Behind a proxy, each request may seem to come from this machine. */
const FORWARDED = /^(?:forwarded|via|x-(?:real|client)-ip|cf-connecting-ip|true-client-ip|x-forwarded-.*)$/i

/** The forwarding header fields that contain the addresses of clients. */
const ADDRESSES = ['x-forwarded-for', 'x-real-ip', 'x-client-ip', 'cf-connecting-ip', 'true-client-ip']

/** The name of the first header field that a proxy has added. */
export const forwardedField = ({ headers }: Request): string | undefined =>
  headers.find((name, i) => i % 2 === 0 && FORWARDED.test(name))

/** The options of a sandbox that is mounted in another server. */
export interface MountOptions {
  /** Enables the control API even if the host server does not report the address of the client. */
  readonly control: boolean
  /** The host server itself adds forwarding header fields: they are not treated as the sign of a proxy in front of it. */
  readonly trustForwarded: boolean
}

/** A request to a mounted sandbox. The host server may or may not know the address of the client. */
export function mountedRequest(request: Request, { control, trustForwarded }: MountOptions): Request {
  const address = request.address ?? (control ? undefined : UNKNOWN_ADDRESS)
  if (!trustForwarded || forwardedField(request) === undefined) return { ...request, address }
  const headers = fieldsWhere(request.headers, (name) => !FORWARDED.test(name))
  // The client may have sent these fields itself: they can only deny access to the control API, never grant it.
  return { ...request, headers, address: forwardedFor(request).find((each) => !isLoopback(each)) ?? address }
}

function forwardedFor({ headers }: Request): string[] {
  const listed = ADDRESSES.flatMap((name) => fieldElements(headers, name))
  const named = fieldValues(headers, 'forwarded').flatMap((value) =>
    [...value.matchAll(/\bfor\s*=\s*"?\[?([^";,\]]*)/gi)].map(([, node = '']) => node.trim()),
  )
  return [...listed, ...named.filter(Boolean)]
}
