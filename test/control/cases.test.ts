import { expect } from 'vitest'
import { runCases } from '../support/cases.ts'
import { apiOf, controlOf } from './client.ts'

interface Step {
  send: string
  key?: string
  json?: unknown
  body?: string
  status: number
  code?: string
  message?: string
  equals?: unknown
  has?: object
  headers?: Record<string, string>
}

runCases<Step>(new URL('cases.yaml', import.meta.url), async (_, fetch, steps) => {
  const [call, api] = [controlOf(fetch), apiOf(fetch)]
  for (const { send, key, json, body: sent, status, code, message, equals, has, headers = {} } of steps) {
    const [method = 'GET', path = ''] = send.split(/ (.*)/)
    const isApi = path.startsWith('/v1')
    const answer = isApi
      ? await api(path.slice(3), { ...(key && { key }), json, method })
      : await call(method, path, sent ?? json)
    const text = typeof answer.text === 'string' ? answer.text : await answer.text()
    const body = text === '' ? undefined : JSON.parse(text)
    const where = `${send} ${JSON.stringify(json)} → ${answer.status} ${text.slice(0, 300)}`
    expect(answer.status, where).toBe(status)
    for (const [name, value] of Object.entries(headers)) expect(answer.headers.get(name), where).toBe(value)
    if (code !== undefined) expect(body.code, where).toBe(code)
    if (message !== undefined) expect(body.message, where).toContain(message)
    if (equals !== undefined) expect(body, where).toEqual(equals)
    if (has !== undefined) expect(body, where).toMatchObject(has)
  }
})
