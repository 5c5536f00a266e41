import { callWords, type OperationId, type SaidCall } from '../../control/call-words.ts'
import type { Deed } from './acts.ts'
import { answerOf, api } from './api.ts'
import { controlOperation } from './document.ts'
import { command, world } from './location.ts'

/**
 * A call of the control API that changes the world that the address names, by the id of its operation. `json`: the
 * body, where digits of it would be lost in a value.
 */
export function call<Id extends OperationId>(
  id: Id,
  said: Partial<SaidCall<Id>> = {},
  json = JSON.stringify(said.body),
): Deed {
  const line = callWords(id, said as SaidCall<Id>)?.line
  return {
    command: line ? command(...line) : '',
    run: async () => {
      const { method, path } = await controlOperation(id)
      const params = { path: said.params, query: { namespace: world.value } }
      const init = { params, ...(json !== undefined && { body: json, bodySerializer: String }) }
      return answerOf(api.request(method.toLowerCase() as 'post', path as '/seed', init as never))
    },
  }
}
