import { headOf } from '../web/fetch.ts'
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
      const problem = problemOf(error)
      if (problem !== undefined) return refusal('internal_error', problem)
      // The machine of the world has failed, and another one takes over.
      return refusal(
        'service_unavailable',
        'The world is being opened again, on this machine or another one. Send the request again.',
        {
          'Retry-After': '1',
          'Access-Control-Allow-Origin': '*',
          'Access-Control-Expose-Headers': 'Retry-After',
        },
      )
    }
  },
}

/**
 * The message of an error about a variable or the stored state; undefined for any other error. An error of another object
 * arrives without its class, but with its name.
 */
function problemOf(error: unknown): string | undefined {
  const { name, message }: Partial<Error> = Object(error)
  if (name === 'UnreadableState') return message
  if (name === 'UsageError') return `${INVALID} ${message}`
  return name === 'FixtureError' ? `${INVALID} PETSTORE_SANDBOX_FIXTURE: ${message}` : undefined
}

const INVALID = 'A variable of the Worker is not valid.'

function refusal(code: ApiErrorCode, message: string, headers?: HeadersInit): Response {
  const status = API_ERRORS[code]
  return Response.json({ code, message, status }, { status, ...(headers && { headers }) })
}
