import type { Operation } from '../contract/contract.ts'
import { fieldValues } from '../domain/message.ts'
import { Problem } from '../domain/problem.ts'
import type { Answer, Call, Eventually } from './call.ts'
import { asked } from './failure.ts'

/** Which answer a client asks for (RFC 7240 names the field, Prism these preferences). */
export interface Preference {
  readonly code?: number
  readonly example?: string
  readonly dynamic?: boolean
}

/** A body that the contract allows for an operation. Refuses an example or a code that it does not declare. */
export type Mock = (call: Call, operation: Operation, preference: Preference) => Promise<Answer>

/** The answer that `Prefer` forces; undefined where it asks for nothing. State is neither read nor changed. */
export function force(call: Call, mock: Mock): Eventually<Answer> | undefined {
  const fields = fieldValues(call.request.headers, 'prefer')
  if (fields.length === 0) return undefined
  const wishes = readWishes(fields.join(','))
  if (wishes.length === 0) return undefined
  const preference = preferenceOf(new Map(wishes))
  const { code, example, dynamic } = preference
  const applied = ['Preference-Applied', wishes.map(([name, value]) => `${name}=${value}`).join(', ')]
  const withApplied = (answer: Answer): Answer => ({
    ...answer,
    headers: [...(answer.headers ?? []), ...applied],
  })
  if (code !== undefined && code >= 400 && example === undefined && !dynamic) {
    call.decision = 'forced'
    return withApplied(asked(call, code, `The request asked for ${code}.`))
  }
  if (!call.operation) return undefined
  call.decision = 'forced'
  return mock(call, call.operation, preference).then((answer) => withApplied(ownError(call, answer)))
}

/** An error that is an example or made up is true to its status, and owes what every such error owes. */
function ownError(call: Call, answer: Answer): Answer {
  const { status, text } = answer
  if (status < 400) return answer
  const { headers } = asked(call, status, '')
  return { ...answer, headers, ...(text !== undefined && { text: withStatus(text, status) }) }
}

/** An Error has three members, of which the status is known; a body of another shape stays as it is. */
function withStatus(text: string, status: number): string {
  const { code, message } = (JSON.parse(text) ?? {}) as { code?: unknown; message?: unknown }
  const isError = typeof code === 'string' && typeof message === 'string'
  return isError ? JSON.stringify({ code, message, status }) : text
}

const KNOWN = ['code', 'example', 'dynamic']

/** The preferences that are known here, as name and value; the first of a name counts (RFC 7240, section 2). */
function readWishes(field: string): [string, string][] {
  const parts = field.split(/[,;]/).map((part) => part.split('=').map((side) => side.trim()))
  const known = parts.filter(([name = '']) => KNOWN.includes(name.toLowerCase()))
  const wishes = known.map(([name = '', value = '']): [string, string] => [
    name.toLowerCase(),
    value.replace(/^"(.*)"$/, '$1'),
  ])
  return wishes.filter(([name], i) => wishes.findIndex(([earlier]) => earlier === name) === i)
}

function preferenceOf(wishes: ReadonlyMap<string, string>): Preference {
  const [code, example, dynamic] = [wishes.get('code'), wishes.get('example'), wishes.get('dynamic')]
  if (code !== undefined && !/^[2-5]\d\d$/.test(code)) {
    throw new Problem(
      'invalid_request',
      `Prefer: code=${code} is no status to answer with; send one from 200 to 599.`,
    )
  }
  if (dynamic !== undefined && dynamic !== 'true' && dynamic !== 'false') {
    throw new Problem('invalid_request', 'Prefer: dynamic is true or false.')
  }
  return {
    ...(code !== undefined && { code: Number(code) }),
    ...(example !== undefined && { example }),
    ...(dynamic === 'true' && { dynamic: true }),
  }
}
