/** The state of the page in its address, after the #. */
export interface PageAddress {
  readonly view: string
  readonly namespace: string
  /** The request or control call that is looked at. */
  readonly id?: string | undefined
  /** Its namespace, where all are shown, and its branch, where it was undone: ids repeat. */
  readonly of?: string | undefined
  readonly branch?: string | undefined
  /** What of a request is shown. */
  readonly tab?: string | undefined
  /** The point before which everything is shown. */
  readonly at?: string | undefined
  readonly filter?: string | undefined
  /** The key whose quota is drawn. */
  readonly key?: string | undefined
  /** A span of real time, in milliseconds. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** Pets that are looked for. */
  readonly q?: string | undefined
  readonly status?: string | undefined
  /** Two states, `snapshot:sale..now`. */
  readonly compare?: string | undefined
}

export const ALL = '*'
const NAME = /^[A-Za-z0-9_-]{1,64}$/

/** `#/requests/req_000123?namespace=w1&filter=status:4xx`; whatever cannot be read is as if it were not there. */
export function parseAddress(hash: string): PageAddress {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  const [view = '', id = ''] = path.split('/')
  const given = [...new URLSearchParams(query)].filter(([, value]) => value !== '')
  const { namespace = 'default', ...rest } = Object.fromEntries(given)
  return {
    ...rest,
    view: view || 'requests',
    id: id === '' ? undefined : decoded(id),
    namespace: NAME.test(namespace) || namespace === ALL ? namespace : 'default',
  }
}

export function formatAddress({ view, id, namespace, ...values }: PageAddress): string {
  const all = { ...(namespace !== 'default' && { namespace }), ...values }
  const given = Object.entries(all).flatMap(([name, value]) => (value ? [[name, value]] : []))
  // A colon and an asterisk may stand as they are, and are read more easily so.
  const query = new URLSearchParams(given).toString().replaceAll('%3A', ':').replaceAll('%2C', ',')
  return `#/${view}${id === undefined ? '' : `/${encodeURIComponent(id)}`}${query && `?${query}`}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
