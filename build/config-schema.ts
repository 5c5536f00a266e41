import type { Plugin } from 'rolldown'
import { OPTION_NAMES, OPTIONS } from '../src/config/table.ts'
import { controlContract } from '../src/contract/control.ts'
import { PLAN_NAMES } from '../src/world/plan.ts'
import { referredFrom, withDefinitions } from './control-document.ts'

/** Emits the JSON Schema of the configuration file. */
export const emitConfigSchema: Plugin = {
  name: 'config-schema',
  generateBundle() {
    const source = `${JSON.stringify(configSchema(), undefined, 2)}\n`
    this.emitFile({ type: 'asset', fileName: 'config.schema.json', source })
  },
}

/** The JSON Schema of the configuration file, for editors. */
export function configSchema(): Record<string, unknown> {
  const properties = OPTION_NAMES.flatMap((name) => {
    const { schema, summary, default: standard } = OPTIONS[name]
    const description = standard === undefined ? summary : `${summary} (default: ${standard})`
    return schema === null ? [] : [[name, { ...schema, description }]]
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    // The address at SchemaStore, where it is to be listed.
    $id: 'https://json.schemastore.org/petstore-sandbox.json',
    title: 'Configuration of petstore-sandbox',
    type: 'object',
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(properties) },
    additionalProperties: false,
    $defs: { ...faultSchemas(), Key: KEY },
  }
}

/** The schema of a fault rule in the control API, with all schemas that it refers to. */
function faultSchemas(): Record<string, unknown> {
  const schemas = controlContract().document.components?.schemas ?? {}
  const names = [...referredFrom({ $ref: '#/components/schemas/FaultInput' }, schemas)]
  return withDefinitions(Object.fromEntries(names.map((name) => [name, schemas[name]])))
}

/** A key of a fixture. */
const KEY = {
  type: 'object',
  required: ['key', 'plan'],
  properties: {
    key: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,128}$' },
    plan: { enum: PLAN_NAMES },
    expiresAt: { type: 'string', examples: ['2030-12-05T00:00:00Z'] },
    revoked: { const: true, description: 'True for a key that is no longer valid.' },
    issued: { const: true, description: 'True for a key that was issued while a sandbox ran.' },
  },
  additionalProperties: false,
}
