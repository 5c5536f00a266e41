import type { Route } from '@playwright/test'
import type { WorldHandle } from '../client/world.ts'
import { withoutSlashes } from '../text/without-slashes.ts'
import { builtInKey } from '../world/keys/built-in-keys.ts'

/** Leads the requests of pages into a world. */
export interface ApiRoute {
  applies(url: URL): boolean
  handle(route: Route): Promise<void>
}

/** `apiUrls`: under which other base URLs pages call the API. */
export function apiRoute(baseUrl: string, apiUrls: readonly string[], world: WorldHandle): ApiRoute {
  const bases = [baseUrl, ...apiUrls].map(withoutSlashes)
  const baseOf = (url: string) =>
    bases.find((base) => url.startsWith(base) && /^(?:[/?]|$)/.test(url.slice(base.length)))
  return {
    applies: ({ href }) => baseOf(href) !== undefined,
    // Routes of the test itself come first, and may fall back to this one.
    async handle(route) {
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

/** Browsers do not redirect requests for the internet to this machine, so they are fetched here for the page. */
async function passOn(route: Route, to: { headers: Record<string, string>; url: string }): Promise<void> {
  try {
    await route.fulfill({ response: await route.fetch({ ...to, timeout: 0 }) })
  } catch {
    // A wire fault; or the page is gone, and there is nobody left to tell.
    await route.abort('connectionreset').catch(() => undefined)
  }
}

/**
 * A sandbox key gains the world's suffix, any other key becomes the world's, and one that names a namespace itself
 * stays. What is no bearer key stays as well: it is refused as it would be without a test.
 */
export function inWorld(authorization: string, world: WorldHandle): string {
  const [, scheme, key] = /^(bearer +)(\S+)$/i.exec(authorization) ?? []
  if (scheme === undefined || key === undefined) return authorization
  if (builtInKey(key)) return scheme + world.key(key.slice('psk_'.length))
  const [name = '', ...suffix] = key.split('.')
  const isAddressed = suffix.length === 1 && (builtInKey(name) !== undefined || suffix[0] === world.name)
  return isAddressed ? authorization : scheme + world.key()
}
