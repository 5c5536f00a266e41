import { generateSync, type JsonSchema } from 'json-schema-faker'
import document from '../../src/contract/generated/control.json' with { type: 'json' }
import {
  inlined,
  type OpenApiDocument,
  operationsOf,
  type ParameterObject,
  resolveRef,
  type SchemaObject,
} from '../../src/contract/openapi/document.ts'
import { stringifyJson } from '../../src/contract/openapi/json.ts'
import type { Dice } from './dice.ts'

export interface Call {
  readonly method: string
  /** The path below /_sandbox. */
  readonly path: string
  readonly body?: string
}

const api = document as unknown as OpenApiDocument

/** Without the event stream, which does not end, and MCP, which has its own protocol. */
const OPERATIONS = [...operationsOf(api)]
  .filter(({ operation }) => !['streamEvents', 'callMcp'].includes(operation.operationId))
  .map(({ path, method, operation }) => {
    const shared = (api.paths[path]?.parameters ?? []) as unknown as ParameterObject[]
    const parameters = [...shared, ...(operation.parameters ?? [])].map((each) => resolveRef(api, each))
    const body = operation.requestBody && resolveRef(api, operation.requestBody).content['application/json']
    return {
      method,
      path,
      query: parameters
        .filter((each) => each.in === 'query')
        .map(({ name, schema = {} }) => ({ name, schema: inlined(api, schema) })),
      body: body && inlined(api, body.schema ?? {}),
      examples: Object.values(body?.examples ?? {}).map((each) => (each as { value: unknown }).value),
    }
  })

/** JSON texts of unusual values. */
const VALUES = [
  ...['null', 'true', '""', '[]', '{}', '[[]]', '[null]', '{"a":{"a":{}}}', '1.5', '-1', '0', '1'],
  ...['-0', '1e400', '9007199254740993', '1e18', '1.0', '1e21', '123456789012345678901234567890'],
  ...['"\\ud800"', '"\\u0000"', '"\\u202e"', '"\\r\\nX: y"', '"💥"', `"${'x'.repeat(5000)}"`],
  ...['"__proto__"', '"toString"', '{"__proto__":{"a":1}}', '{"toJSON":1}', '{"then":1}'],
  ...['"9999-12-31T23:59:59.999Z"', '"0000-01-01T00:00:00Z"', '"2030-02-30T00:00:00Z"', '"1e9d"', '"-1s"'],
  ...['"P1D"', '"PT0S"', '"999999999999999d"', '"*"', '"default"', '"psk_free"', '"req_000001"', '"a.b"'],
]
const NAMES = ['__proto__', 'constructor', 'toString', 'toJSON', 'then', '', 'x', 'id', 'at']
const TEXTS = ['', '{', '[]', 'null', '"x"', '{"a":1,"a":2}', '['.repeat(20_000), '\ufeff{}', '{}x', '\0']
const KNOWN = ['one', 'psk_free', 'psk_pro.w1', 'fault_1', 'hold_1', 'req_000001', 'w1', 'default']
const SEGMENTS = [
  ...['', '.', '..', '%2e%2e', '__proto__', 'constructor', '%zz', '%00', '%ED%A0%80', '%F0%9F%92%A5'],
  ...['a%2Fb', '%0d%0aX', '*', 'limits', 'ban', 'x'.repeat(200)],
]
const PARAMETERS = [
  ...['', '-0', '1e3', '1.0', '99999999999999999999', '__proto__', 'a.b', '*', 'w1', 'w2', 'default', '%zz'],
  ...['%00', '%ED%A0%80', 'req_000001', 'ctl_000001', 'before', 'now', 'at:req_000001', 'x'.repeat(65)],
]

/** A valid or damaged call of an operation of the document. */
export function call(dice: Dice): Call {
  const operation = dice.pick(OPERATIONS)
  const path = operation.path.replace(/\{\w+\}/g, () => dice.pick(dice.once(2) ? KNOWN : SEGMENTS))
  const query = operation.query
    .filter(() => dice.once(3))
    .map(({ name, schema }) => {
      const value = dice.once(2) ? dice.pick(PARAMETERS) : encoded(String(madeOf(schema, dice)))
      return `${name}=${value}`
    })
  if (dice.once(3)) query.push(`namespace=${dice.pick(PARAMETERS)}`)
  const method = dice.once(25)
    ? dice.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
    : operation.method
  const target = query.length === 0 ? path : `${path}?${query.join('&')}`
  if (!operation.body || method === 'GET') return { method, path: target }
  if (dice.once(15)) return { method, path: target, body: dice.pick(TEXTS) }
  const { body, examples } = operation
  const value = examples.length > 0 && dice.once(3) ? dice.pick(examples) : madeOf(body, dice)
  return { method, path: target, body: textOf(quick(dice.once(3) ? value : damaged(value, dice))) }
}

const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString())

/** A value of a schema. The faker may fail with some optional members, and succeed with all of them. */
function madeOf(schema: SchemaObject, dice: Dice): unknown {
  const seed = dice.below(2 ** 31)
  for (const optionalsProbability of [0.4, 1]) {
    try {
      return generateSync(schema as JsonSchema, { seed, optionalsProbability })
    } catch {}
  }
  return {}
}

/** A value with a fixed JSON text. */
class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A copy with one value replaced, removed or added. */
function damaged(value: unknown, dice: Dice): unknown {
  const other = new RawJson(dice.pick(VALUES))
  if (value === null || typeof value !== 'object' || dice.once(4)) return other
  if (Array.isArray(value)) {
    const at = dice.below(Math.max(1, value.length))
    return value.length === 0 ? [other] : value.with(at, damaged(value[at], dice))
  }
  const members = Object.entries(value)
  const at = dice.below(members.length + 1)
  if (at === members.length) return Object.fromEntries([...members, [dice.pick(NAMES), other]])
  const changed = members.map(([name, each], index) => [name, index === at ? damaged(each, dice) : each])
  return Object.fromEntries(dice.once(5) ? changed.toSpliced(at, 1) : changed)
}

/** A copy with short waits and few pets. */
function quick(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof RawJson) return value
  if (Array.isArray(value)) return value.map(quick)
  const short = (name: string, each: unknown) => {
    if (['within', 'timeout', 'latency'].includes(name) && typeof each === 'string') return '1ms'
    return name === 'count' && typeof each === 'number' ? each % 50 : quick(each)
  }
  const members = Object.entries(value).map(([name, each]) => [name, short(name, each)])
  if ('match' in value && !('effect' in value || 'within' in value)) members.push(['within', '1ms'])
  return Object.fromEntries(members)
}

function textOf(value: unknown): string {
  if (value instanceof RawJson) return value.text
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`
  if (typeof value !== 'object' || value === null) return stringifyJson(value)
  return `{${Object.entries(value)
    .map(([name, each]) => `${JSON.stringify(name)}:${textOf(each)}`)
    .join(',')}}`
}
