import type { Side } from '../contract/generated/control.types.d.ts'
import type { ControlCall } from './call.ts'
import type { ControlClient } from './control.ts'

/** A point of the history: before or after (the default) a request or a control call. */
export interface AtPoint {
  readonly at: string
  readonly side?: Side
}

/** A client that reads the state at a point of the history. */
export function atPoint(client: ControlClient, point: AtPoint): ControlClient {
  const { at, side } = point
  const call = (
    method: string,
    path: string,
    init: { readonly params?: { readonly query?: object } } = {},
  ) => {
    const query = { ...init.params?.query, at, side }
    const sent = method === 'GET' ? { ...init, params: { ...init.params, query } } : init
    return (client.call as (...given: unknown[]) => unknown)(method, path, sent)
  }
  return { ...client, in: (other) => atPoint(client.in(other), point), call: call as unknown as ControlCall }
}
