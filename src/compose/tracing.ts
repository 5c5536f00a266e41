import type { Contract } from '../contract/openapi/contract.ts'
import type { ExportRuntime, Variables } from '../web/span-exporter.ts'
import { Secrets } from '../world/keys/secrets.ts'
import { BASE_PATH } from '../world/traffic/address.ts'
import type { Exchange } from '../world/traffic/exchange.ts'

/** The parts of a sandbox that tracing needs. */
export interface Traced extends Omit<ExportRuntime, 'fetch'> {
  /** The environment, which may name a collector. */
  readonly variables: Variables
  readonly contract: Pick<Contract, 'operations'>
  /** The origin at which the sandbox is reached. */
  readonly origin: () => string
  /** Whether to omit the names of namespaces, because they are parts of secret keys. */
  readonly hidesNamespaces?: boolean
}

/** Exports exchanges as spans of OpenTelemetry. Undefined, with nothing loaded, if no variable names a collector. */
export async function openTracing({ variables, contract, origin, hidesNamespaces, ...runtime }: Traced) {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ofTraces,
    OTEL_SDK_DISABLED: disabled,
    OTEL_TRACES_EXPORTER: exporters,
  } = variables
  // An empty variable counts as missing.
  const collector = ofTraces || endpoint
  if (!collector || String(disabled).toLowerCase() === 'true' || exporters === 'none') return undefined
  const { SpanExporter, exportSettingsOf } = await import('../web/span-exporter.ts')
  const { spanOf } = await import('../views/span.ts')
  // The address may hold credentials, also in a query, and errors repeat it.
  const warn = (text: string) =>
    runtime.warn(new Secrets().mask(text.replaceAll(/(?<=[\s/"])[^\s/"@]{1,512}@/g, '…@')))
  let settings: ReturnType<typeof exportSettingsOf>
  try {
    settings = exportSettingsOf(variables)
  } catch {
    warn(
      `Spans are not sent: "${collector}" is not a URL; OTEL_EXPORTER_OTLP_ENDPOINT takes http://localhost:4318.`,
    )
    return undefined
  }
  const exporter = new SpanExporter(settings, { ...runtime, warn, fetch: (url, init) => fetch(url, init) })
  const routeOf = (id: string) => {
    const operation = contract.operations.get(id)
    return operation && BASE_PATH + operation.path
  }
  const entropy = (length: number) => crypto.getRandomValues(new Uint8Array(length))
  return {
    record(exchange: Exchange): void {
      const span = spanOf(exchange, { routeOf, origin: origin(), entropy, hidesNamespaces })
      if (span) exporter.add(span)
    },
    /** Sends pending spans. Resolves after at most `grace` milliseconds. */
    close: (grace: number): Promise<void> => exporter.close(grace),
  }
}
