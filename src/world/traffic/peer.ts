import { fieldValues, type Request, UNKNOWN_ADDRESS } from './message.ts'

const LOOPBACK_ADDRESS = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/i

/** Whether an address is one of this machine only. */
export const isLoopback = (address: string): boolean => LOOPBACK_ADDRESS.test(address)

/** Header fields that reverse proxies add; behind one, every address and every Host may look like this machine. */
const FORWARDED = /^(?:forwarded|via|x-(?:real|client)-ip|cf-connecting-ip|true-client-ip|x-forwarded-.*)$/i

/** Those that hold addresses of clients. */
const ADDRESSES = ['x-forwarded-for', 'x-real-ip', 'x-client-ip', 'cf-connecting-ip', 'true-client-ip']

/** The name of the first header field that a proxy has added. */
export const forwardedField = ({ headers }: Request): string | undefined =>
  headers.find((name, i) => i % 2 === 0 && FORWARDED.test(name))

/** How a sandbox is mounted in another server. */
export interface MountOptions {
  /** Lets the control API answer also if that server does not report from which address a request comes. */
  readonly control: boolean
  /** The surrounding server adds forwarding header fields itself: they are no sign of a proxy in front of it. */
  readonly trustForwarded: boolean
}

/** A request as a mounted sandbox takes it from its host, which knows the address of the peer or does not. */
export function mountedRequest(request: Request, { control, trustForwarded }: MountOptions): Request {
  const address = request.address ?? (control ? undefined : UNKNOWN_ADDRESS)
  if (!trustForwarded || forwardedField(request) === undefined) return { ...request, address }
  const headers = request.headers.filter((_, i, all) => !FORWARDED.test(all[i - (i % 2)] as string))
  // A field of the host's may hold what the client sent: it can close the control API, and never opens it.
  return { ...request, headers, address: forwardedFor(request).find((each) => !isLoopback(each)) ?? address }
}

function forwardedFor({ headers }: Request): string[] {
  const listed = ADDRESSES.flatMap((name) => fieldValues(headers, name))
  const named = fieldValues(headers, 'forwarded').flatMap((value) =>
    [...value.matchAll(/\bfor\s*=\s*"?\[?([^";,\]]*)/gi)].map(([, node = '']) => node),
  )
  return [...listed.flatMap((value) => value.split(',')), ...named].map((each) => each.trim()).filter(Boolean)
}
