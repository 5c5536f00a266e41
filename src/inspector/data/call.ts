import { callWords, type OperationId, type SaidCall } from '../../control/call-words.ts'
import type { Action } from './actions.ts'
import { answerOf, api } from './api.ts'
import { controlOperation } from './document.ts'
import { command, world } from './location.ts'

/**
 * Makes a control call, by its operationId, in the namespace of the URL. `json`: the body as text, if a value would
 * lose digits.
 */
export function call<Id extends OperationId>(
  id: Id,
  said: Partial<SaidCall<Id>> = {},
  json = JSON.stringify(said.body),
): Action {
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
