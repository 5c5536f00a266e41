import {
  createMcpHandler,
  fromJsonSchema,
  type JsonSchemaType,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
  McpServer,
} from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { namespaceOf, unknownNamespace } from '../client/namespace.ts'
import { UsageError } from '../config/usage-error.ts'
import type { OpenApiDocument } from '../contract/openapi/document.ts'
import { stringifyJson } from '../contract/openapi/json.ts'
import { AJV_OPTIONS } from '../contract/openapi/request-schemas.ts'
import { type JsonPath, pathText, refusals, type Validator } from '../contract/openapi/validators.ts'
import { VERSION } from '../contract/version.ts'
import { inThousands } from '../text/in-thousands.ts'
import { listed } from '../text/listed.ts'
import { printableJson } from '../text/printable.ts'
import { splitToken } from '../world/keys/bearer-token.ts'
import { controlTools } from './control-tools.ts'
import { failureOf } from './explain.ts'
import { type Arguments, InvalidArguments, type Processes, type Target, type Tool } from './tool.ts'
import { ownTools } from './tools.ts'

const INSTRUCTIONS = `petstore-sandbox is a local server that behaves like the Animal Store API, with limits, bans, faults and a clock that tests control. Begin with find_sandbox, then call create_world, and configure the client under test with its base URL and key. Do not sleep: turn_clock changes the time, verify_requests and wait_for_request wait. After a test, get_report and explain_refusal show what the client did wrong.`

interface About {
  readonly document: OpenApiDocument
  /** Without `processes`, no tool starts or stops a sandbox. */
  readonly processes?: Processes
}

/**
 * Makes servers of the Model Context Protocol whose tools act on a sandbox. The control document describes the tools.
 * Their validators are compiled once: each HTTP request has a server of its own, and ajv keeps what it compiles.
 */
export function mcpServers(target: Target, { document, processes }: About): () => McpServer {
  const tools = [...ownTools(processes), ...controlTools(document)].map((tool) => {
    const { name, description, reads = false, isValidated, properties, required = [] } = tool
    const schema = { type: 'object', properties, required, additionalProperties: false } as JsonSchemaType
    const check = isValidated ? undefined : (ajv.compile(schema) as Validator)
    const title = name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase())
    const inputSchema = fromJsonSchema<Arguments>(schema, UNCHECKED)
    const annotations = { readOnlyHint: reads, openWorldHint: false }
    const run = async (sent: Arguments) => {
      try {
        refuseRounded(sent)
        const given = await withNamespaceOfKey(target, sent, properties)
        const wrong = check ? refusals(check, given) : []
        if (wrong.length > 0) throw new InvalidArguments(listed(wrong))
        if (reads && !tool.waits?.(given)) await refuseUnknown(target, given.namespace)
        return result(await tool.run(target, given))
      } catch (error) {
        return { ...result(failureOf(error)), isError: true }
      }
    }
    return { name, about: { title, description, inputSchema, annotations }, run }
  })
  return () => {
    const server = new McpServer(
      { name: 'petstore-sandbox', version: VERSION },
      { instructions: INSTRUCTIONS },
    )
    for (const { name, about, run } of tools) server.registerTool(name, about, run)
    return server
  }
}

/** Serves the Model Context Protocol over streamable HTTP, without sessions. */
export function createMcpEndpoint(target: Target, about: About): (request: Request) => Promise<Response> {
  const handler = createMcpHandler(mcpServers(target, about))
  return (request) => handler.fetch(request)
}

/**
 * Serves the tools on stdin and stdout. `ended` resolves when the client closes one of them, and rejects with a
 * UsageError if it sends too long a message, after which the transport reads no more.
 */
export function serveOnStdio(target: Target, about: About) {
  const transport = new StdioServerTransport()
  // Added before the listeners of the transport, which close it.
  const left = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve)
    process.stdout.once('error', () => resolve())
  })
  const { close } = serveStdio(mcpServers(target, about), { transport })
  const { onclose } = transport
  // While the client is there, the transport closes itself only because of the length of a message.
  const refused = new Promise<never>((_, reject) => {
    transport.onclose = () => {
      onclose?.()
      reject(TOO_LONG)
    }
  })
  return { ended: Promise.race([left, refused]), close }
}

const TOO_LONG = new UsageError('mcp: the client sent a message of more than 10 MiB', 'send smaller messages')

/** Validates like the control API, so that the messages are the same. */
const ajv = new Ajv2020(AJV_OPTIONS)

/** Accepts everything: each tool validates its arguments itself, with an error that says what to do next. */
const UNCHECKED: jsonSchemaValidator = {
  getValidator:
    <T>(): JsonSchemaValidator<T> =>
    (data) => ({ valid: true, data: data as T, errorMessage: undefined }),
}

/** Refuses a number that was rounded, because the library of the protocol reads JSON with doubles. */
function refuseRounded(value: unknown, path: JsonPath = []): void {
  if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value))
      refuseRounded(member, [...path, Array.isArray(value) ? Number(name) : name])
  } else if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    const most = inThousands(Number.MAX_SAFE_INTEGER)
    throw new InvalidArguments(
      `${pathText(path)} lost its last digits on the way; here integers are exact up to ${most}. The command line and the control API take larger ones`,
    )
  }
}

/** Takes the namespace from the suffix of the key, unless another argument names it. */
async function withNamespaceOfKey(
  { call }: Target,
  given: Arguments,
  properties: Tool['properties'],
): Promise<Arguments> {
  const { key, namespace: named } = given
  if (typeof key !== 'string' || named !== undefined || !('namespace' in properties)) return given
  const found = await namespaceOf(key, (namespace) => call('GET', '/health', { query: { namespace } }))
  return found === undefined ? given : { ...given, ...splitToken(key) }
}

/** Refuses to read an unknown namespace, whose empty result would hide a typing error. */
async function refuseUnknown({ call }: Target, namespace: unknown): Promise<void> {
  // The call refuses an object.
  if (namespace === undefined || namespace === '*' || typeof namespace === 'object') return
  const existing = (await call('GET', '/namespaces')) as Parameters<typeof unknownNamespace>[1]
  if (!existing.some(({ name }) => name === String(namespace)))
    throw new InvalidArguments(unknownNamespace(String(namespace), existing).message)
}

/** As JSON, in which texts of clients can only be values. */
function result(value: object) {
  const text = printableJson(stringifyJson(value))
  return { content: [{ type: 'text' as const, text }], structuredContent: serialisable(value) }
}

/** Bigints become strings, because the library of the protocol cannot serialise them. Invisible characters are escaped. */
const serialisable = (value: object): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(value, (_, member) => {
      if (typeof member === 'string') return printableJson(member)
      return typeof member === 'bigint' ? String(member) : member
    }),
  )
