import { controlContract } from '../contract/control.ts'
import { PLAN_NAMES } from '../world/plan.ts'
import { OPTION_NAMES, OPTIONS } from './table.ts'

/** The JSON Schema of the configuration file, for editors. */
export function configSchema(): Record<string, unknown> {
  const properties = OPTION_NAMES.flatMap((name) => {
    const { schema, summary, default: standard } = OPTIONS[name]
    const description = standard === undefined ? summary : `${summary} (default: ${standard})`
    return schema === null ? [] : [[name, { ...schema, description }]]
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    // Where SchemaStore serves it, once it is listed there.
    $id: 'https://json.schemastore.org/petstore-sandbox.json',
    title: 'Configuration of petstore-sandbox',
    type: 'object',
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(properties) },
    additionalProperties: false,
    $defs: { ...faultSchemas(), Key: KEY },
  }
}

/** The schema of a fault rule in the control API, with every schema that it refers to. */
function faultSchemas(): Record<string, unknown> {
  const schemas = controlContract().document.components?.schemas ?? {}
  const found: Record<string, unknown> = {}
  const collect = (name: string): void => {
    if (name in found) return
    const text = JSON.stringify(schemas[name])
    found[name] = JSON.parse(text.replaceAll(REFERENCE, '"#/$defs/$1"'))
    for (const [, referred = ''] of text.matchAll(REFERENCE)) collect(referred)
  }
  collect('FaultInput')
  return found
}

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g

/** As in a fixture. */
const KEY = {
  type: 'object',
  required: ['key', 'plan'],
  properties: {
    key: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,128}$' },
    plan: { enum: PLAN_NAMES },
    expiresAt: { type: 'string', examples: ['2030-12-05T00:00:00Z'] },
  },
  additionalProperties: false,
}
