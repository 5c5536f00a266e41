import { decoded } from '../../text/url.ts'

/** The state of the page in its URL, after the #. */
export interface PageAddress {
  readonly view: string
  readonly namespace: string
  /** The id of the selected request or control call. */
  readonly id?: string | undefined
  /** Its namespace if all are shown, and its branch if it was undone: ids can repeat. */
  readonly of?: string | undefined
  readonly branch?: string | undefined
  /** The selected tab of a request. */
  readonly tab?: string | undefined
  /** The id of the point before which the state is shown. */
  readonly at?: string | undefined
  readonly filter?: string | undefined
  /** The key whose quota is drawn. */
  readonly key?: string | undefined
  /** The selected range of real time, in milliseconds. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** The search text for pets. */
  readonly q?: string | undefined
  readonly status?: string | undefined
  /** The two states to compare: `snapshot:sale..now`. */
  readonly compare?: string | undefined
}

/** A key as a client sends it to a namespace. Some keys name theirs already. */
export const keyIn = (namespace: string, key: string): string =>
  namespace === 'default' || key.includes('.') ? key : `${key}.${namespace}`

/** Stands for a key of the service of a proxy, which does not know its keys. */
export const SERVICE_KEY = 'YOUR_KEY'

/** The value of `namespace` for all namespaces. */
export const ALL = '*'
export const NAME = /^[A-Za-z0-9_-]{1,64}$/
const INSTANT = /^\d{1,15}$/

/** Parses `#/requests/req_000123?namespace=w1`. Invalid parts are ignored. `own`: the only namespace of the user. */
export function parseAddress(hash: string, own?: string): PageAddress {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  const [view = '', id = ''] = path.split('/')
  const given = [...new URLSearchParams(query)].filter(([, value]) => value !== '')
  const { namespace = own ?? 'default', from = '', to = '', ...rest } = Object.fromEntries(given)
  return {
    ...rest,
    ...(INSTANT.test(from) && INSTANT.test(to) && { from, to }),
    view: view || 'requests',
    id: id === '' ? undefined : decoded(id),
    namespace: NAME.test(namespace) || (namespace === ALL && !own) ? namespace : (own ?? 'default'),
  }
}

export function formatAddress({ view, id, namespace, of, ...values }: PageAddress): string {
  const all = { ...(namespace !== 'default' && { namespace }), ...values, ...(namespace === ALL && { of }) }
  const given = Object.entries(all).flatMap(([name, value]) => (value ? [[name, value]] : []))
  // Colons and commas stay unescaped, to be readable.
  const query = new URLSearchParams(given).toString().replaceAll('%3A', ':').replaceAll('%2C', ',')
  return `#/${view}${id === undefined ? '' : `/${encodeURIComponent(id)}`}${query && `?${query}`}`
}
