import { expect } from 'vitest'
import type { OpenApiDocument } from '../../src/contract/openapi/document.ts'
import { type ContractValidator, createContractValidator } from '../../src/prism/validator.ts'
import type { SandboxFetch } from '../../src/web/fetch.ts'

const judges = new Map<string, Promise<ContractValidator>>()

/** A validator for the document that this sandbox serves; documents that differ only in their address share one. */
async function judgeOf(fetch: SandboxFetch): Promise<ContractValidator> {
  const { servers: _, ...document }: OpenApiDocument = await (await fetch('/openapi.json')).json()
  const text = JSON.stringify(document)
  const judge = judges.get(text) ?? createContractValidator(document)
  judges.set(text, judge)
  return judge
}

/** `fetch` that validates every response of the API against the served document. */
export function judged(fetch: SandboxFetch): SandboxFetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const path = String(input)
    if (!path.startsWith('/v1/')) return response
    const judge = await judgeOf(fetch)
    const copy = response.clone()
    const method = init?.method ?? 'GET'
    const violations = judge.validateResponse(
      { method, path: path.slice('/v1'.length).replace(/\?.*$/, '') },
      { status: copy.status, headers: [...copy.headers].flat(), body: await copy.text() },
    )
    expect(violations, `${method} ${path} → ${response.status}`).toEqual([])
    return response
  }
}
