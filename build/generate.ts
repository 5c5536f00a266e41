/**
 * Generates src/contract/generated from the two contracts: each as JSON, its types, and validators as plain code, so
 * that the program starts without YAML and without a schema compiler.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { _, Ajv2020, type AnySchema, type Options } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import { parse } from 'yaml'
import { resolvePolicy } from '../src/contract/decisions/decisions.ts'
import type { OpenApiDocument, SchemaObject } from '../src/contract/openapi/document.ts'
import { worded } from '../src/contract/openapi/effective-document.ts'
import { AJV_OPTIONS, addInt64, forAjv, requestSchemas } from '../src/contract/openapi/request-schemas.ts'
import { contractTypes } from './contract-types.ts'
import { controlDocument, referredFrom, schemasOf, withDefinitions } from './control-document.ts'
import { DOCUMENT } from './document-schema.ts'

const contracts = new URL('../src/contract/', import.meta.url)
const target = new URL('generated/', contracts)

const FIXTURES = ['default', 'empty', 'sold-out', 'busy', 'edge-cases']

mkdirSync(target, { recursive: true })
for (const name of ['animal-store', 'control']) {
  const text = readFileSync(new URL(`${name}.openapi.yaml`, contracts), 'utf8')
  const source = parse(text, { merge: true })
  const document: OpenApiDocument = name === 'control' ? controlDocument(source) : source
  write(`${name}.json`, JSON.stringify(document))
  write(`${name}.types.d.ts`, await contractTypes(worded(document, resolvePolicy())))
  writeValidators(name, requestSchemas(document))
  if (name === 'control')
    writeValidators(
      'recording',
      { start: recordedStart(document) },
      { allErrors: false, verbose: false, inlineRefs: false },
    )
}

writeValidators('document', { document: DOCUMENT }, { strict: false })

/** The schema of the first line of a recording, with the schemas of the control API that it refers to. */
function recordedStart({ components }: OpenApiDocument): AnySchema {
  const own = schemasOf(parse(readFileSync(new URL('recording.schema.yaml', contracts), 'utf8')))
  const all = { ...(components?.schemas as Record<string, SchemaObject>), ...own }
  const root = { $ref: '#/components/schemas/RecordedStart' }
  const names = [...referredFrom(root, all)]
  const $defs = Object.fromEntries(names.map((name) => [name, forAjv(all[name] as SchemaObject)]))
  return withDefinitions({ ...root, $defs })
}

function writeValidators(
  name: string,
  schemas: Readonly<Record<string, AnySchema>>,
  options?: Options,
): void {
  write(`${name}.validators.js`, validators(schemas, options))
  write(
    `${name}.validators.d.ts`,
    `import type { Validators } from '../openapi/validators.ts'\nexport declare const validators: Validators\n`,
  )
}

// As text, because a JSON module would round integers beyond 2^53.
for (const name of FIXTURES) {
  const text = readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8')
  write(`fixture-${name}.js`, `export default ${JSON.stringify(text)}\n`)
  write(`fixture-${name}.d.ts`, 'declare const text: string\nexport default text\n')
}

function write(name: string, text: string): void {
  writeFileSync(new URL(name, target), text)
}

function validators(schemas: Readonly<Record<string, AnySchema>>, options?: Options): string {
  const names = Object.keys(schemas)
  const ajv = new Ajv2020({ ...AJV_OPTIONS, ...options, code: { source: true, esm: true } })
  addInt64(ajv, _)
  for (const name of names) ajv.addSchema(schemas[name] as object, name)
  const exports = Object.fromEntries(names.map((name, i) => [`judge${i}`, name]))
  const code = (standalone as unknown as { default: typeof standalone }).default(ajv, exports)
  const table = names.map((name, i) => `${JSON.stringify(name)}: judge${i}`).join(', ')
  return `${withImports(code)}\nexport const validators = { ${table} }\n`
}

/**
 * Replaces `require` in Ajv's code by imports, since modules have no `require`. Depending on the loader, the default
 * export of such a file is the function or contains it.
 */
function withImports(code: string): string {
  const imports: string[] = []
  const body = code.replaceAll(/\brequire\("(ajv[^"]+)"\)\.default/g, (_call, path: string) => {
    const name = `runtime${imports.length}`
    imports.push(`import ${name} from '${path}.js'`)
    return `(${name}.default ?? ${name})`
  })
  return [...imports, body].join('\n')
}
