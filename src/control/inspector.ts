import { shorten } from '../text/shorten.ts'
import type { ApiError } from '../world/api-error.ts'
import type { Request } from '../world/traffic/message.ts'
import { acceptedWeight } from './browser-rules.ts'
import type { ControlContext } from './context.ts'
import type { SomeHandlers } from './operation.ts'
import { notFound, type StatusReply } from './reply.ts'

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

export const inspector = {
  /** Its links are relative, since a proxy may add a prefix. no-slash.html is for a path without a trailing slash. */
  getInspector: {
    observe: (context) =>
      file(context, /\/(\?|$)/.test(context.request.target) ? 'index.html' : 'no-slash.html', {
        'Cache-Control': 'no-store',
        'Content-Security-Policy': POLICY,
      }),
  },
  /** The name of an asset contains a hash of its content. */
  getInspectorAsset: {
    observe: (context) =>
      file(context, `assets/${context.params.file}`, {
        'Cache-Control': 'public, max-age=31536000, immutable',
      }),
  },
} satisfies SomeHandlers

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/** No slash and no leading dot: such a name cannot lead out of the folder. */
const NAME = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/

async function file(
  { request, deps }: ControlContext,
  name: string,
  headers: Readonly<Record<string, string>>,
): Promise<StatusReply<200>> {
  if (!NAME.test(name.replace(/^assets\//, ''))) throw missing(name)
  const coding = codingOf(request)
  const bytes = await deps.page(`${name}${coding === 'br' ? '.br' : '.gz'}`)
  if (!bytes) throw missing(name)
  const body = coding ? bytes : await decompressed(bytes)
  return {
    status: 200,
    headers: Object.entries({
      'Content-Type': MEDIA_TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
      'Content-Length': String(body.length),
      ...(coding && { 'Content-Encoding': coding }),
      Vary: 'Accept-Encoding',
      'Referrer-Policy': 'no-referrer',
      ...headers,
    }).flat(),
    body,
  }
}

async function decompressed(gzip: Uint8Array): Promise<Uint8Array> {
  const plain = new Blob([gzip as BlobPart]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Uint8Array(await new Response(plain).arrayBuffer())
}

const missing = (name: string): ApiError =>
  notFound(
    name.endsWith('.html')
      ? 'This sandbox has no files of the inspector: npm run build makes them, and createCore reads them with platform.page.'
      : `The inspector has no file ${shorten(name)}.`,
  )

/** The best compression that the client accepts; undefined for none. */
const codingOf = (request: Request): string | undefined =>
  request.uncompressed
    ? undefined
    : ['br', 'gzip'].find((coding) => acceptedWeight(coding, request, 'accept-encoding') > 0)
