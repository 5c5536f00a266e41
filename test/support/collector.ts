import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TraceSpan } from '../../src/views/span.ts'

/** An OpenTelemetry collector over HTTP, reduced to OTLP/JSON. */
export interface Collector {
  readonly url: string
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string }[]
  /** The status of its answers. */
  status: number
  readonly spans: ReceivedSpan[]
  /** Resolves when it has received `count` spans. */
  until(count: number): Promise<readonly ReceivedSpan[]>
  close(): Promise<void>
}

/** A span whose attributes, and those of its service, are plain values. */
export interface ReceivedSpan extends Omit<TraceSpan, 'attributes'> {
  readonly values: Readonly<Record<string, string | number>>
  readonly service: Readonly<Record<string, string | number>>
}

export async function startCollector(): Promise<Collector> {
  const waiting = new Set<() => void>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    collector.requests.push({ path: request.url ?? '', headers: request.headers, text })
    if (collector.status === 200) collector.spans.push(...spansIn(text))
    response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}')
    for (const look of waiting) look()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    status: 200,
    spans: [],
    until: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (collector.spans.length < count) return
          waiting.delete(look)
          resolve(collector.spans)
        }
        waiting.add(look)
        look()
      }),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return collector
}

type Attributes = TraceSpan['attributes']

interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes }
    readonly scopeSpans: readonly { readonly spans: readonly TraceSpan[] }[]
  }[]
}

const spansIn = (text: string): ReceivedSpan[] =>
  (JSON.parse(text) as Exported).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ attributes, ...span }) => ({
        ...span,
        values: valuesOf(attributes),
        service: valuesOf(resource.attributes),
      })),
  )

const valuesOf = (attributes: Attributes) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      'intValue' in value ? Number(value.intValue) : value.stringValue,
    ]),
  )
