/** The state of the page in its address, after the #. */
export interface PageAddress {
  readonly view: string
  /** The request that is looked at. */
  readonly id: string | undefined
  /** Its namespace, where all are shown. */
  readonly of?: string | undefined
  readonly namespace: string
  /** The filter of the list. */
  readonly filter: string
}

export const ALL = '*'
const NAME = /^[A-Za-z0-9_-]{1,64}$/

/** `#/requests/req_000123?namespace=w1&filter=status:4xx`; whatever cannot be read is as if it were not there. */
export function parseRoute(hash: string): PageAddress {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  const [view, id] = path.split('/')
  const values = new URLSearchParams(query)
  const namespace = values.get('namespace') ?? ''
  const of = values.get('of') ?? ''
  return {
    view: view || 'requests',
    id: id ? decoded(id) : undefined,
    ...(NAME.test(of) && { of }),
    namespace: NAME.test(namespace) || namespace === ALL ? namespace : 'default',
    filter: values.get('filter') ?? '',
  }
}

export function formatRoute({ view, id, of, namespace, filter }: PageAddress): string {
  const values = new URLSearchParams()
  if (namespace !== 'default') values.set('namespace', namespace)
  if (id !== undefined && of !== undefined && namespace === ALL) values.set('of', of)
  if (filter !== '' && view === 'requests') values.set('filter', filter)
  const query = values.size > 0 ? `?${values}` : ''
  return `#/${view}${id === undefined || view !== 'requests' ? '' : `/${encodeURIComponent(id)}`}${query}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
