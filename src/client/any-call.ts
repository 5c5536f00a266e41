import type { ControlResponse } from './call.ts'
import type { ControlClient } from './control.ts'

export interface AnyRequest {
  readonly query?: object
  readonly body?: unknown
}

/** A call whose method and path are known at run time only. */
export type AnyCall = (method: string, path: string, request?: AnyRequest) => Promise<unknown>

export const anyCall =
  ({ call }: ControlClient): AnyCall =>
  async (method, path, { query, body } = {}) => {
    const init = { params: { query }, body }
    const response: ControlResponse = await call(method as never, path as never, init as never)
    return response.value
  }
