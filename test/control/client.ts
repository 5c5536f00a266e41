import fs from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { afterEach, beforeEach, expect, onTestFinished, vi } from 'vitest'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/compose/sandbox.ts'
import document from '../../src/contract/generated/control.json' with { type: 'json' }
import { Contract } from '../../src/contract/openapi/contract.ts'
import { type OpenApiDocument, operationsOf, resolveRef } from '../../src/contract/openapi/document.ts'
import { parseJson } from '../../src/contract/openapi/json.ts'
import type { SandboxFetch } from '../../src/web/fetch.ts'

export const contract = new Contract(document as unknown as OpenApiDocument, {})
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema(document, 'control')

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the members that it reads
  readonly body: any
}

/** A function of the file system that fails until the test ends, or the mock is restored. */
export function failing(name: 'writeSync' | 'rmSync') {
  const mock = vi.spyOn(fs, name).mockImplementation(() => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  })
  onTestFinished(() => mock.mockRestore())
  return mock
}

export type Call = (method: string, path: string, body?: unknown, headers?: HeadersInit) => Promise<Answer>

/** Calls the control API of a sandbox and validates each response against the contract. */
export function controlOf(fetch: SandboxFetch): Call {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`/_sandbox${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.endsWith('json') && text !== ''
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? parseJson(text) : undefined,
    }
    judge(method, path.replace(/\?.*/, ''), answer)
    return answer
  }
}

/** Validates that the response is declared for its operation, with its media type and schema. */
function judge(method: string, path: string, { status, headers, text, body }: Answer): void {
  expect(headers.get('access-control-allow-origin')).toBeNull()
  if (status >= 400)
    expect(body).toMatchObject({ code: expect.any(String), message: expect.any(String), status })
  const { operation } = contract.resolve(method, path)
  if (!operation) return
  const described = [...operationsOf(contract.document)].find(
    (entry) => entry.operation.operationId === operation.id,
  )
  const declared = described?.operation.responses[status]
  expect(declared, `${method} ${path} → ${status} is declared: ${text}`).toBeDefined()
  if (method === 'HEAD' || status === 204) {
    expect(text).toBe('')
    return
  }
  const response = resolveRef(contract.document, declared as { content: Record<string, { schema: object }> })
  const type = headers.get('content-type')?.split(';')[0] ?? ''
  const schema = response.content[type]?.schema
  expect(schema, `${method} ${path} → ${status} as ${type}`).toBeDefined()
  if (body === undefined) return
  const validate = validatorOf(schema as object)
  expect(validate(JSON.parse(text)), `${text}\n${JSON.stringify(validate.errors, undefined, 1)}`).toBe(true)
}

const validators = new Map<object, ValidateFunction>()

function validatorOf(schema: object): ValidateFunction {
  const known = validators.get(schema)
  if (known) return known
  const made = ajv.compile(pointed(schema) as object)
  validators.set(schema, made)
  return made
}

/** The schema with references into the document. */
const pointed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(pointed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === '$ref' ? `control${member}` : pointed(member),
    ]),
  )
}

export const apiOf =
  (fetch: SandboxFetch) =>
  (path: string, { key = 'psk_pro', json, ...init }: RequestInit & { key?: string; json?: unknown } = {}) =>
    fetch(`/v1${path}`, {
      ...(json !== undefined && { method: 'POST', body: JSON.stringify(json) }),
      ...init,
      headers: {
        authorization: `Bearer ${key}`,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...init.headers,
      },
    })

/** A clock that is frozen at the instant of the interface's examples. */
export const FROZEN = { now: '2026-11-19T12:34:56Z', freeze: true } as const satisfies SandboxOptions

/** The most recently started sandbox, and functions that call it. */
export let sandbox: Sandbox
export let call: Call
export let api: ReturnType<typeof apiOf>

/** Closes the current sandbox and starts another one. */
export async function start(options: SandboxOptions = FROZEN): Promise<void> {
  await sandbox?.close()
  sandbox = await createSandbox({ listen: false, log: 'silent', ...options })
  call = controlOf(sandbox.fetch)
  api = apiOf(sandbox.fetch)
}

/** Starts a new sandbox with a frozen clock for each test of the file. */
export function sandboxPerTest(): void {
  beforeEach(() => start())
  afterEach(() => sandbox.close())
}
