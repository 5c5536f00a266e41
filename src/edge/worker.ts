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
      if (isOfSettings(error))
        return refusal('internal_error', `A variable of the Worker is not valid. ${named(error)}`)
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

/** Whether the settings are wrong. An error of another object arrives without its class, but with its name. */
const isOfSettings = (error: unknown): error is Error =>
  error instanceof Error && (error.name === 'UsageError' || error.name === 'FixtureError')

/** The message of an error with the name of its variable, which a FixtureError does not have. */
const named = ({ name, message }: Error): string =>
  name === 'FixtureError' ? `PETSTORE_SANDBOX_FIXTURE: ${message}` : message

function refusal(code: ApiErrorCode, message: string, headers?: HeadersInit): Response {
  const status = API_ERRORS[code]
  return Response.json({ code, message, status }, { status, ...(headers && { headers }) })
}
