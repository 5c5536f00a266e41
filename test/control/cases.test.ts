import { expect } from 'vitest'
import { runCases } from '../support/cases.ts'
import { controlOf } from './client.ts'

interface Step {
  send: string
  json?: unknown
  body?: string
  status: number
  code?: string
  message?: string
  equals?: unknown
}

runCases<Step>(new URL('cases.yaml', import.meta.url), async (_, fetch, steps) => {
  const call = controlOf(fetch)
  for (const { send, json, body: sent, status, code, message = '', equals } of steps) {
    const [method = 'GET', path = ''] = send.split(/ (.*)/)
    const { body, ...answer } = await call(method, path, sent ?? json)
    const where = `${send} ${JSON.stringify(json)} → ${answer.status} ${answer.text.slice(0, 300)}`
    expect([answer.status, body.code], where).toEqual([status, code])
    if (equals !== undefined) expect(body, where).toEqual(equals)
    else expect(body.message, where).toContain(message)
  }
})
