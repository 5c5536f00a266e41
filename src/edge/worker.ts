import { CUT_OFF, headOf } from '../web/fetch.ts'
import { API_ERRORS, type ApiErrorCode } from '../world/api-error.ts'
import { createsWorld, isPublic, makeWorld } from './public.ts'
import { worldOf } from './route.ts'
import type { Env } from './runtime.ts'

/** Passes each request to its world. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const head = headOf(request)
    try {
      if (isPublic(env) && createsWorld(head)) return await makeWorld(env, head)
      return await env.WORLD.getByName(worldOf(head, isPublic(env))).fetch(request)
    } catch (error) {
      console.error('petstore-sandbox: a world did not answer:', error)
      return answerTo(Object(error))
    }
  },
}

/** The answer for an error. That of another object arrives without its class, but with its name. */
function answerTo({ name, message = '' }: Partial<Error>): Response {
  if (name === 'UnreadableState') return refusal('internal_error', message)
  if (name === 'UsageError') return refusal('internal_error', `${INVALID} ${message}`)
  if (name === 'FixtureError')
    return refusal('internal_error', `${INVALID} PETSTORE_SANDBOX_FIXTURE: ${message}`)
  // If it was not cut off, the machine of the world has failed, and another one takes over.
  const reason =
    name === CUT_OFF
      ? message
      : 'The world is being opened again, on this machine or another one. Send the request again.'
  return refusal('service_unavailable', reason, {
    'Retry-After': '1',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'Retry-After',
  })
}

const INVALID = 'A variable of the Worker is not valid.'

function refusal(code: ApiErrorCode, message: string, headers?: HeadersInit): Response {
  const status = API_ERRORS[code]
  return Response.json({ code, message, status }, { status, ...(headers && { headers }) })
}
