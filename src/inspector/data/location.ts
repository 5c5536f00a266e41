import { computed, signal } from '@preact/signals'
import { commandLine } from '../text/commands.ts'
import { ALL, formatAddress, type PageAddress, parseAddress } from './address.ts'
import { ownWorld, ROOT, token } from './api.ts'

/** The state of the page in its URL. */
export const route = signal<PageAddress>(parseAddress(location.hash))
export const namespace = computed(() => route.value.namespace)
export const isAll = computed(() => namespace.value === ALL)
/** The namespace on which actions act; `default` if all are shown. */
export const world = computed(() => (isAll.value ? 'default' : namespace.value))
export const point = computed(() => route.value.at)
/** The parameters with which the list shows everything. */
export const EVERYTHING = { filter: undefined, from: undefined, to: undefined }

/** The last state of each view, to which it returns. */
const lastStates = new Map<string, PageAddress>()

export function follow(hash: string): void {
  route.value = parseAddress(hash, ownWorld.value)
  lastStates.set(route.value.view, route.value)
}

/** The state after a change. Another view has its last state, and another namespace keeps nothing. */
function changed(change: Partial<PageAddress>): PageAddress {
  const now = route.value
  const { view = now.view, namespace = now.namespace } = change
  if (namespace !== now.namespace) return { view, namespace, ...change }
  const { at, key } = now
  const rest = lastStates.get(view)
  const known: Partial<PageAddress> = view === now.view ? now : rest?.namespace === namespace ? rest : {}
  // Without a branch, an id belongs to an event that was not undone.
  const event = 'id' in change && { of: undefined, branch: undefined, tab: change.id && known.tab }
  return { ...known, ...event, view, namespace, at, key, ...change }
}

export const hrefOf = (change: Partial<PageAddress>): string => formatAddress(changed(change))

export function go(change: Partial<PageAddress>, replace = false): void {
  const hash = hrefOf(change)
  if (hash === location.hash) return
  if (replace) history.replaceState(null, '', hash)
  else history.pushState(null, '', hash)
  follow(hash)
}

export const commandIn = (namespace: string, ...words: readonly string[]): string =>
  commandLine({ origin: ROOT, namespace, hasToken: token.value !== '' }, ...words)

/** A command line for the namespace of the URL. If all are shown, `requests` and `report` without a point read all. */
export const command = (...words: readonly string[]): string => {
  const isOfAll = ['requests', 'report'].includes(words[0] ?? '') && !words.includes('--at')
  return commandIn(isOfAll ? namespace.value : world.value, ...words)
}

export const inWorld = () => ({ params: { query: { namespace: world.value } } })

/** The query of a call that reads the shown state: the namespace of the URL, and the point. */
export const shownState = () => ({
  namespace: world.value,
  ...(point.value !== undefined && { at: point.value, side: 'before' as const }),
})
/** The options of the command line for the shown state. */
export const shownFlags = (): readonly string[] =>
  point.value === undefined ? [] : ['--at', point.value, '--side', 'before']
