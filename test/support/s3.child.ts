import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

interface Stored {
  readonly body: Buffer
  readonly etag: string
  readonly at: Date
}

/** An S3 bucket in memory with conditional writes, as a cluster of workerd needs it. */
function openBucket(): Server {
  const objects = new Map<string, Stored>()
  let writes = 0
  const server = createServer(async (request, response) => {
    const received = await bodyOf(request).catch(() => undefined)
    // A node that was killed left its request unfinished.
    if (received === undefined) return void response.destroy()
    const { status, headers = {}, body = '' } = answer(request, received)
    response.writeHead(status, headers).end(body)
  })
  const error = (status: number, code: string) => ({
    status,
    headers: { 'content-type': 'application/xml' },
    body: `<Error><Code>${code}</Code><Message>${code}</Message></Error>`,
  })

  function answer({ method = '', url = '', headers }: IncomingMessage, body: Buffer): Answer {
    const { pathname, searchParams } = new URL(url, 'http://bucket')
    const key = decodeURIComponent(pathname)
    const old = objects.get(key)
    const match = headers['if-match']
    if (match !== undefined && match !== old?.etag)
      return old ? error(412, 'PreconditionFailed') : error(404, 'NoSuchKey')
    if (method === 'PUT') {
      if (headers['if-none-match'] === '*' && old) return error(412, 'PreconditionFailed')
      const etag = `"${createHash('md5').update(body).update(String(++writes)).digest('hex')}"`
      objects.set(key, { body, etag, at: new Date() })
      return { status: 200, headers: { etag } }
    }
    if (method === 'DELETE') {
      objects.delete(key)
      return { status: 204 }
    }
    if (method === 'POST' && searchParams.has('delete')) {
      for (const [, name] of String(body).matchAll(/<Key>([^<]*)<\/Key>/g))
        objects.delete(`${folderOf(key)}${name}`)
      return {
        status: 200,
        headers: { 'content-type': 'application/xml' },
        body: '<DeleteResult></DeleteResult>',
      }
    }
    if (searchParams.has('list-type')) return listed(folderOf(key), searchParams)
    if (!old) return error(404, 'NoSuchKey')
    if (headers['if-none-match'] === old.etag) return { status: 304, headers: { etag: old.etag } }
    return partOf(old, headers.range, method === 'HEAD')
  }

  function listed(folder: string, query: URLSearchParams): Answer {
    const [prefix = '', delimiter, after = ''] = ['prefix', 'delimiter', 'start-after'].map(
      (name) => query.get(name) ?? undefined,
    )
    const common = new Set<string>()
    const found = [...objects.keys()]
      .filter((key) => key.startsWith(folder + prefix))
      .map((key) => key.slice(folder.length))
      .filter((key) => key > after)
      .sort()
      .filter((key) => {
        const end = delimiter === undefined ? -1 : key.indexOf(delimiter, prefix.length)
        if (end >= 0) common.add(key.slice(0, end + 1))
        return end < 0
      })
    const contents = found.map((key) => {
      const { body, etag, at } = objects.get(folder + key) as Stored
      return `<Contents><Key>${escaped(key)}</Key><LastModified>${at.toISOString()}</LastModified><ETag>${escaped(etag)}</ETag><Size>${body.length}</Size></Contents>`
    })
    const prefixes = [...common].map(
      (each) => `<CommonPrefixes><Prefix>${escaped(each)}</Prefix></CommonPrefixes>`,
    )
    return {
      status: 200,
      headers: { 'content-type': 'application/xml' },
      body: `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name><Prefix>${escaped(prefix)}</Prefix><KeyCount>${found.length}</KeyCount><MaxKeys>1000000</MaxKeys><IsTruncated>false</IsTruncated>${contents.join('')}${prefixes.join('')}</ListBucketResult>`,
    }
  }

  return server
}

interface Answer {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
}

function partOf({ body, etag, at }: Stored, range: string | undefined, isHead: boolean): Answer {
  const headers = { etag, 'last-modified': at.toUTCString(), 'accept-ranges': 'bytes' }
  const [, first = '', last = ''] = /bytes=(\d*)-(\d*)/.exec(range ?? '') ?? []
  if (first === '' && last === '')
    return {
      status: 200,
      headers: { ...headers, 'content-length': String(body.length) },
      body: isHead ? '' : body,
    }
  const from = first === '' ? Math.max(0, body.length - Number(last)) : Number(first)
  const to = first === '' || last === '' ? body.length - 1 : Math.min(Number(last), body.length - 1)
  if (from >= body.length) return { status: 416 }
  return {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${from}-${to}/${body.length}` },
    body: body.subarray(from, to + 1),
  }
}

/** In a body of signed chunks, the size precedes each chunk. */
async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const body = await buffer(request)
  const isChunked = /aws-chunked/.test(String(request.headers['content-encoding']))
  if (!isChunked && !/STREAMING/.test(String(request.headers['x-amz-content-sha256']))) return body
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const end = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.subarray(at, end).toString(), 16)
    if (!size) return Buffer.concat(parts)
    parts.push(body.subarray(end + 2, end + 2 + size))
    at = end + 4 + size
  }
}

const folderOf = (key: string): string => (key.endsWith('/') ? key : `${key}/`)

const escaped = (text: string): string => text.replace(/[<>&"]/g, (each) => `&#${each.charCodeAt(0)};`)

/** A process of its own, so that a test can stop the bucket. Prints its address. */
const server = openBucket().listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`http://127.0.0.1:${port}\n`)
})
