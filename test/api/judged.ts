import { expect } from 'vitest'
import type { OpenApiDocument } from '../../src/contract/document.ts'
import type { Fetch } from '../../src/http/fetch.ts'
import { createJudge, type Judge } from '../../src/prism/judge.ts'

const judges = new Map<string, Promise<Judge>>()

/** A judge by the document that this sandbox serves; equal documents share one. */
async function judgeOf(fetch: Fetch): Promise<Judge> {
  const text = await (await fetch('/openapi.json')).text()
  const judge = judges.get(text) ?? createJudge(JSON.parse(text) as OpenApiDocument)
  judges.set(text, judge)
  return judge
}

/** `fetch`, with every answer of the API held against the contract in force. */
export function judged(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const path = String(input)
    if (!path.startsWith('/v1/')) return response
    const judge = await judgeOf(fetch)
    const copy = response.clone()
    const method = init?.method ?? 'GET'
    const violations = judge.judgeResponse(
      { method, path: path.slice('/v1'.length).replace(/\?.*$/, '') },
      { status: copy.status, headers: [...copy.headers].flat(), body: await copy.text() },
    )
    expect(violations, `${method} ${path} → ${response.status}`).toEqual([])
    return response
  }
}
