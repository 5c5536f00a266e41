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

const OF_ALL_VIEWS = ['namespace', 'at', 'key']
/** The members that each view has of its own. */
const OF_VIEW: Readonly<Record<string, readonly string[]>> = {
  requests: ['of', 'branch', 'tab', 'filter', 'from', 'to'],
  pets: ['q', 'status', 'compare'],
}

/** `#/requests/req_000123?namespace=w1&filter=status:4xx`; whatever cannot be read is as if it were not there. */
export function parseAddress(hash: string): PageAddress {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  const [view = '', id = ''] = path.split('/')
  const values = new URLSearchParams(query)
  const known = [...OF_ALL_VIEWS, ...(OF_VIEW[view || 'requests'] ?? [])]
  const given = known.flatMap((name) => (values.get(name) ? [[name, values.get(name)] as const] : []))
  const { namespace = 'default', ...rest } = Object.fromEntries(given) as Record<string, string>
  return {
    ...rest,
    view: view || 'requests',
    ...(id !== '' && { id: decoded(id) }),
    namespace: NAME.test(namespace) || namespace === ALL ? namespace : 'default',
  }
}

export function formatAddress({ view, id, ...values }: PageAddress): string {
  const known = [...OF_ALL_VIEWS, ...(OF_VIEW[view] ?? [])]
  const given = known.flatMap((name) => {
    const value = values[name as 'namespace'] as string | undefined
    return !value || (name === 'namespace' && value === 'default') ? [] : [[name, value]]
  })
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
