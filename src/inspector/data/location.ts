import { computed, signal } from '@preact/signals'
import { commandLine } from '../text/commands.ts'
import { ORIGIN } from './api.ts'
import { formatRoute, type PageAddress, parseRoute } from './route.ts'

/** The state in the address of the page. */
export const route = signal<PageAddress>(parseRoute(location.hash))
export const namespace = computed(() => route.value.namespace)
/** The namespace that actions change; `default` where all are shown. */
export const world = computed(() => (namespace.value === '*' ? 'default' : namespace.value))

addEventListener('hashchange', () => {
  route.value = parseRoute(location.hash)
})

export const hrefOf = (change: Partial<PageAddress>): string =>
  formatRoute({ ...route.value, id: undefined, of: undefined, ...change })

export function go(change: Partial<PageAddress>, replace = false): void {
  const hash = formatRoute({ ...route.value, ...change })
  if (hash === location.hash) return
  if (replace) history.replaceState(null, '', hash)
  else history.pushState(null, '', hash)
  route.value = parseRoute(hash)
}

export const commandIn = (namespace: string, ...words: readonly string[]): string =>
  commandLine({ origin: ORIGIN, namespace }, ...words)

/** A command line that acts on the world that the address names. */
export const command = (...words: readonly string[]): string => commandIn(world.value, ...words)

export const inWorld = () => ({ params: { query: { namespace: world.value } } })
