import { VERSION } from '../contract/version.ts'
import { errorMessage } from '../text/error.ts'
import { decoded } from '../text/url.ts'
import type { Timer } from '../time/timer.ts'

/** The receiver of spans, and the attributes of the service that sends them. */
export interface ExportSettings {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Attributes of the service. */
  readonly resource: Readonly<Record<string, string>>
  /** The longest wait of a span for others, in milliseconds. */
  readonly delay: number
  /** The time limit of a request to the collector, in milliseconds. */
  readonly timeout: number
}

/** The functions of the runtime that an exporter needs. */
export interface ExportRuntime {
  readonly timer: Timer
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Receives a sentence when spans begin to be lost. */
  readonly warn: (warning: string) => void
  /** Keeps the runtime alive until a request to the collector has ended. */
  readonly waitUntil?: (sending: Promise<void>) => void
}

/** Environment variables with the names of OpenTelemetry. */
export type Variables = Readonly<Record<string, unknown>>

/** The limit of spans in a request to the collector, and of waiting spans. */
const BATCH = 512
const MAX_WAITING = 2048

/**
 * The settings from the variables of OpenTelemetry. Throws a TypeError for an invalid address. The protocol is always
 * OTLP/JSON over HTTP, whatever OTEL_EXPORTER_OTLP_PROTOCOL says.
 */
export function exportSettingsOf(variables: Variables): ExportSettings {
  const variable = (name: string) => String(variables[name] ?? '')
  const traceVariable = (name: string) =>
    variable(`OTEL_EXPORTER_OTLP_TRACES_${name}`) || variable(`OTEL_EXPORTER_OTLP_${name}`)
  const base = variable('OTEL_EXPORTER_OTLP_ENDPOINT').replace(/\/?$/, '/v1/traces')
  const resource = pairsOf(variable('OTEL_RESOURCE_ATTRIBUTES'))
  return {
    url: new URL(variable('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') || base).href,
    headers: { ...pairsOf(traceVariable('HEADERS')), 'content-type': 'application/json' },
    resource: {
      'service.name': 'petstore-sandbox',
      'service.version': VERSION,
      ...resource,
      ...(variable('OTEL_SERVICE_NAME') && { 'service.name': variable('OTEL_SERVICE_NAME') }),
    },
    delay: Number(variable('OTEL_BSP_SCHEDULE_DELAY')) || 5000,
    timeout: Number(traceVariable('TIMEOUT')) || 10_000,
  }
}

/** `key=value,other=value`, percent-encoded. */
function pairsOf(list: string): Record<string, string> {
  const pairs = list.split(',').map((pair) => /^([^=]+)=(.*)$/.exec(pair.trim())?.slice(1))
  return Object.fromEntries(pairs.flatMap((pair) => (pair ? [pair.map((text) => decoded(text.trim()))] : [])))
}

/** Sends spans to a collector in batches. Drops spans that it refuses, and those beyond the limit of waiting ones. */
export class SpanExporter {
  readonly #settings: ExportSettings
  readonly #runtime: ExportRuntime
  #waiting: object[] = []
  #cancel: (() => void) | undefined
  #sending: Promise<void> | undefined
  #giveUp = () => {}
  #hasWarned = false

  constructor(settings: ExportSettings, runtime: ExportRuntime) {
    this.#settings = settings
    this.#runtime = runtime
  }

  add(span: object): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#warn('more spans are sent than it accepts')
      return
    }
    this.#waiting.push(span)
    if (this.#waiting.length >= BATCH) this.#send()
    else this.#cancel ??= this.#runtime.timer(this.#settings.delay, () => this.#send())
  }

  /** Sends waiting spans. Resolves after at most `grace` milliseconds. */
  async close(grace: number): Promise<void> {
    this.#send()
    const sent = (async () => {
      while (this.#sending) await this.#sending
    })()
    const cancel = this.#runtime.timer(grace, () => {
      this.#waiting = []
      this.#giveUp()
    })
    await sent
    cancel()
  }

  /** One batch at a time. */
  #send(): void {
    this.#cancel?.()
    this.#cancel = undefined
    if (this.#sending || this.#waiting.length === 0) return
    const spans = this.#waiting.splice(0, BATCH)
    this.#sending = this.#post(spans).finally(() => {
      this.#sending = undefined
      if (this.#waiting.length > 0) this.#send()
    })
    this.#runtime.waitUntil?.(this.#sending)
  }

  async #post(spans: readonly object[]): Promise<void> {
    const { url, headers, resource, timeout } = this.#settings
    const attributes = Object.entries(resource).map(([key, stringValue]) => ({ key, value: { stringValue } }))
    const scopeSpans = [{ scope: { name: 'petstore-sandbox' }, spans }]
    const body = JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans }] })
    const over = new AbortController()
    this.#giveUp = () => over.abort(new Error('no response in time'))
    const cancel = this.#runtime.timer(timeout, this.#giveUp)
    try {
      // Redirects are not followed: another address would receive the header fields, which may be secret.
      const init = { method: 'POST', headers, body, redirect: 'manual', signal: over.signal } as const
      const response = await this.#runtime.fetch(url, init)
      await response.body?.cancel()
      if (!response.ok) throw new Error(`it answered ${response.status}`)
      this.#hasWarned = false
    } catch (error) {
      // The cause of a failed fetch can have an empty message.
      this.#warn(errorMessage(Object(error).cause ?? '') || errorMessage(error))
    } finally {
      cancel()
    }
  }

  #warn(why: string): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    this.#runtime.warn(`Spans are dropped: ${this.#settings.url} does not accept them (${why}).`)
  }
}
