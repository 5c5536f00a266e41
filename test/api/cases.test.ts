import { expect } from 'vitest'
import type { SandboxFetch } from '../../src/web/fetch.ts'
import { runCases } from '../support/cases.ts'
import { judged } from './judged.ts'

interface Step {
  send?: string
  key?: string
  with?: Record<string, string>
  json?: unknown
  body?: string
  hex?: string
  name?: string
  times?: number
  clock?: string
  advance?: string
  status?: number
  code?: string
  message?: string
  text?: string
  count?: number
  ids?: unknown[]
  contains?: number
  headers?: Record<string, string | null>
}

runCases<Step>(new URL('cases.yaml', import.meta.url), async (sandbox, way, steps) => {
  const fetch = judged(way)
  for (const step of steps) {
    if (step.clock) await sandbox.clock.set(step.clock)
    if (step.advance) await sandbox.clock.advance(step.advance)
    for (let i = 0; step.send && i < (step.times ?? 1); i++)
      await take(step, fetch, i === (step.times ?? 1) - 1)
  }
})

async function take(step: Step, fetch: SandboxFetch, last: boolean): Promise<void> {
  const [method = 'GET', target = ''] = step.send?.split(/ (.*)/) ?? []
  const key = step.key ?? 'psk_pro'
  const body = method === 'GET' || method === 'HEAD' ? undefined : bodyOf(step)
  const headers = {
    ...(key !== 'none' && { authorization: `Bearer ${key}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...Object.fromEntries(
      Object.entries(step.with ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    ),
  }
  const response = await fetch(target, { method, headers, ...(body !== undefined && { body }) })
  const text = await response.text()
  const where = `${step.send} → ${response.status} ${text.slice(0, 300)}`
  expect(response.status, where).toBe(step.status)
  expectLimits(response, where)
  if (response.status >= 400 && method !== 'HEAD') expectError(JSON.parse(text), response.status, where)
  if (last) expectAnswer(step, response, text, where)
}

function bodyOf({ json, body, hex, name }: Step): BodyInit | undefined {
  if (hex) return Buffer.from(hex, 'hex')
  if (name) return JSON.stringify({ name: repeated(name), categoryId: 1 })
  return json === undefined ? body && repeated(body) : JSON.stringify(json)
}

const repeated = (text: string): string =>
  text.replace(/^(.)\*(\d+)$/, (_, unit: string, count: string) => unit.repeat(Number(count)))

function expectLimits({ headers }: Response, where: string): void {
  for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) {
    expect(headers.get(name), `${where}: ${name}`).toMatch(/^\d+$/)
  }
  expect(headers.get('X-Request-Id'), where).toMatch(/^req_\d{6,}$/)
}

function expectError(error: unknown, status: number, where: string): void {
  expect(error, where).toEqual({ code: expect.any(String), message: expect.any(String), status })
}

function expectAnswer(step: Step, { headers }: Response, text: string, where: string): void {
  if (step.code) expect(JSON.parse(text).code, where).toBe(step.code)
  if (step.message) expect(JSON.parse(text).message, where).toContain(step.message)
  if (step.text !== undefined) expect(text, where).toBe(step.text)
  if (step.json !== undefined && step.send?.startsWith('GET'))
    expect(JSON.parse(text), where).toEqual(step.json)
  if (step.count !== undefined) expect(JSON.parse(text), where).toHaveLength(step.count)
  const ids = () => JSON.parse(text).map(({ id }: { id: number }) => id)
  if (step.ids) expect(ids(), where).toEqual(step.ids)
  if (step.contains !== undefined) expect(ids(), where).toContain(step.contains)
  for (const [name, expected] of Object.entries(step.headers ?? {})) {
    const value = headers.get(name)
    if (expected?.startsWith('/') && expected.endsWith('/'))
      expect(value, `${where}: ${name}`).toMatch(expected.slice(1, -1))
    else expect(value, `${where}: ${name}`).toBe(expected)
  }
}
