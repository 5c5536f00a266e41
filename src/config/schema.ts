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
    title: 'Configuration of petstore-sandbox',
    type: 'object',
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(properties) },
    additionalProperties: false,
  }
}
