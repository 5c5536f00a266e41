import type { Route } from '@playwright/test'
import type { WorldHandle } from '../client/world.ts'
import { withoutSlashes } from '../text/url.ts'
import { builtInKey } from '../world/keys/built-in-keys.ts'

/** Routes the requests of pages to a world. `apiUrls`: other base URLs at which pages call the API. */
export function apiRoute(baseUrl: string, apiUrls: readonly string[], world: WorldHandle) {
  const bases = [baseUrl, ...apiUrls].map(withoutSlashes)
  const baseOf = (url: string) =>
    bases.find((base) => url.startsWith(base) && /^(?:[/?]|$)/.test(url.slice(base.length)))
  return {
    applies: ({ href }: URL): boolean => baseOf(href) !== undefined,
    // Routes of the test itself have precedence, and may fall back to this one.
    async handle(route: Route): Promise<void> {
      const request = route.request()
      const headers = { ...request.headers() }
      const { authorization } = headers
      if (authorization !== undefined) headers.authorization = inWorld(authorization, world)
      const sent = request.url()
      const url = baseUrl + sent.slice(baseOf(sent)?.length)
      if (LOOPBACK.test(sent)) await route.fallback({ headers, url })
      else await passOn(route, { headers, url })
    },
  }
}

const LOOPBACK = /^http:\/\/(?:localhost|127\.[\d.]+|\[::1\])[:/]/

/** Fetches a request for the page: browsers do not redirect from the internet to this machine. */
async function passOn(route: Route, to: { headers: Record<string, string>; url: string }): Promise<void> {
  try {
    await route.fulfill({ response: await route.fetch({ ...to, timeout: 0 }) })
  } catch {
    // A wire fault; or the page was closed, and the error can be ignored.
    await route.abort('connectionreset').catch(() => undefined)
  }
}

/**
 * Addresses a key to the world: a built-in key gets its suffix, and another key is replaced. A built-in key with any
 * suffix, a key with the suffix of this world, and anything that is not a bearer key stay unchanged.
 */
function inWorld(authorization: string, world: WorldHandle): string {
  const [, scheme, key] = /^(bearer +)(\S+)$/i.exec(authorization) ?? []
  if (scheme === undefined || key === undefined) return authorization
  if (builtInKey(key)) return scheme + world.key(key.slice('psk_'.length))
  const [name = '', ...suffix] = key.split('.')
  const isAddressed = suffix.length === 1 && (builtInKey(name) !== undefined || suffix[0] === world.name)
  return isAddressed ? authorization : scheme + world.key()
}
