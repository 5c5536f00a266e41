import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import ts from 'typescript'
import { createProgram } from '../src/cli/run.ts'
import { controlContract } from '../src/contract/control.ts'

/** The generated pages of the site: the name of each, and its Markdown. */
export async function referencePages(): Promise<Record<string, string>> {
  return { commands: await commandsPage(), 'control-api': controlApiPage(), 'module-api': modulePage() }
}

/** Escapes plain text for a page that Vue compiles. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;')

/** A cell of a table. In a code span, only the bar needs an escape; `v-pre` keeps Vue from evaluating it. */
const cell = (text: string): string =>
  text
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replace(/`([^`]*)`|[^`]+/g, (part, span?: string) => (span === undefined ? escaped(part) : code(span)))
    .replaceAll('|', '\\|')
const code = (text: string): string => `<code v-pre>${escaped(text).replaceAll('|', '&#124;')}</code>`

async function commandsPage(): Promise<string> {
  let printed = ''
  const io = { out: (text: string) => (printed += text), err: () => {}, isTerminal: false } as never
  const program = await createProgram(io, () => true)
  const helpOf = (command: Command): string => {
    printed = ''
    command.outputHelp()
    return printed.trimEnd()
  }
  const sections = program.commands.flatMap((command) => {
    const name = (each: Command): string =>
      each === command ? each.name() : `${command.name()} ${each.name()}`
    return [command, ...command.commands].map(
      (each) =>
        `${each === command ? '##' : '###'} ${name(each)}\n\n${escaped(sentence(each.description()))}\n\n\`\`\`text\n${helpOf(each)}\n\`\`\`\n`,
    )
  })
  return `# Commands\n\nWhat \`petstore-sandbox <command> --help\` prints. [The command line](../command-line.md) has exit codes, environment
variables and the configuration file.\n\n${sections.join('\n')}`
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly required?: readonly string[]
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

const anchor = (name: string): string => name.toLowerCase()
const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)
const linked = (ref: string): string => `[${nameOf(ref)}](#${anchor(nameOf(ref))})`

/** A schema as a type, with links to the schemas that it refers to. */
function typeOf(schema: Schema | boolean | undefined): string {
  if (typeof schema !== 'object') return code('any')
  if (schema.$ref) return linked(schema.$ref)
  if (schema.const !== undefined) return code(JSON.stringify(schema.const))
  if (schema.enum) return schema.enum.map((each) => code(JSON.stringify(each))).join(' or ')
  const choice = schema.oneOf ?? schema.anyOf
  if (choice && !schema.properties) return [...new Set(choice.map(typeOf))].join(' or ')
  if (schema.allOf) return schema.allOf.map(typeOf).join(' and ')
  if (schema.items) return `list of ${typeOf(schema.items)}`
  if (typeof schema.additionalProperties === 'object')
    return `object with values ${typeOf(schema.additionalProperties)}`
  return [schema.type ?? 'any'].flat().map(code).join(' or ')
}

const fieldRows = ({ properties = {}, required = [] }: Schema): string[] =>
  Object.entries(properties).map(
    ([name, schema]) =>
      `| ${code(name)}${required.includes(name) ? '' : ' (optional)'} | ${typeOf(schema)} | ${cell(schema.description ?? '')} |`,
  )

const FIELDS = '| Field | Type | Meaning |\n| --- | --- | --- |'

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

interface Body {
  readonly description?: string
  readonly content?: Readonly<
    Record<string, { schema?: Schema; examples?: Record<string, { value: unknown }> }>
  >
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body & { $ref?: string }>>
}

interface ControlDocument {
  readonly info: { readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly responses: Readonly<Record<string, Body>>
    readonly schemas: Readonly<Record<string, Schema>>
  }
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

function controlApiPage(): string {
  const { info, tags, paths, components } = controlContract().document as unknown as ControlDocument
  const calls = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({
      call: `${method.toUpperCase()} /_sandbox${path}`,
      operation: item[method] as Operation,
      shared: (item.parameters ?? []) as readonly Parameter[],
    })),
  )
  const parameterOf = (each: Parameter): Parameter =>
    each.$ref ? (components.parameters[nameOf(each.$ref)] as Parameter) : each
  const responseOf = ({ $ref, ...rest }: Body & { $ref?: string }): Body =>
    $ref ? (components.responses[nameOf($ref)] as Body) : rest

  const sectionOf = ({ call, operation, shared }: (typeof calls)[number]): string => {
    const parameters = [...shared, ...(operation.parameters ?? [])].map(parameterOf)
    const media = Object.values(operation.requestBody?.content ?? {})[0]
    const example = Object.values(media?.examples ?? {})[0]?.value
    const answers = Object.entries(operation.responses)
      .filter(([status]) => status < '300')
      .map(([status, response]) => {
        const { description = '', content = {} } = responseOf(response)
        const [type] = Object.values(content)
        return `- **${status}**${type?.schema ? ` ${typeOf(type.schema)}` : ''}: ${escaped(description)}`
      })
    return [
      `### ${escaped(operation.summary)}\n\n\`${call}\``,
      operation.description && escaped(operation.description.trim()),
      parameters.length > 0 &&
        ['| Parameter | Type | Meaning |\n| --- | --- | --- |', ...parameters.map(parameterRow)].join('\n'),
      media?.schema && `Body: ${typeOf(media.schema)}`,
      example !== undefined && `\`\`\`json\n${JSON.stringify(example)}\n\`\`\``,
      answers.join('\n'),
    ]
      .filter(Boolean)
      .join('\n\n')
  }
  const parameterRow = ({ name, in: place, description = '', schema }: Parameter): string =>
    `| ${code(name)} (${place}) | ${typeOf(schema)} | ${cell(description)} |`

  const groups = tags.map(({ name, description }) => {
    const own = calls.filter(({ operation }) => operation.tags.includes(name))
    return `## ${sentence(name).slice(0, -1)}\n\n${escaped(description)}\n\n${own.map(sectionOf).join('\n\n')}`
  })
  const schemas = Object.entries(components.schemas).map(([name, schema]) =>
    [
      `### ${name}`,
      schema.description && escaped(schema.description.trim()),
      schema.properties ? [FIELDS, ...fieldRows(schema)].join('\n') : typeOf(schema),
    ]
      .filter(Boolean)
      .join('\n\n'),
  )
  return `# Control API\n\n${escaped(info.description.trim())}\n\nErrors have the form that [Errors](../errors.md) describes.
A running sandbox serves this document at \`/_sandbox/openapi.json\`.\n\n${groups.join('\n\n')}\n\n## Schemas\n\n${schemas.join('\n\n')}\n`
}

/** The members of exported interfaces of src, with the comments on them. */
function modulePage(): string {
  const table = (file: string, name: string): string => {
    const rows = membersOf(file, name).map(
      ({ name, type, doc }) => `| ${code(name)} | ${code(type)} | ${cell(doc)} |`,
    )
    return ['| Member | Type | Meaning |', '| --- | --- | --- |', ...rows].join('\n')
  }
  return `# Module

\`\`\`ts
import { createSandbox } from 'petstore-sandbox'
\`\`\`

[Use it in tests](../module.md) shows how. A wrong option is refused with a \`UsageError\`, and a refused call with a
\`ControlError\` that has \`code\`, \`status\` and \`message\`.

## Options of createSandbox

${table('src/config/settings.ts', 'SandboxOptions')}

## A sandbox

A sandbox is also the world of the namespace \`default\`.

${table('src/compose/open-sandbox.ts', 'Sandbox')}

## A world

${table('src/client/world.ts', 'WorldHandle')}

## Options of createCore

For a page or a worker, from \`petstore-sandbox/core\`; and those options of \`createSandbox\` that need no file.

${table('src/compose/core.ts', 'CoreOptions')}
`
}

interface Member {
  readonly name: string
  readonly type: string
  readonly doc: string
}

function membersOf(file: string, name: string): Member[] {
  const path = new URL(`../${file}`, import.meta.url)
  const source = ts.createSourceFile(file, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  const found = source.statements.find(
    (each): each is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(each) && each.name.text === name,
  )
  if (!found) throw new Error(`${file} has no interface ${name}`)
  return found.members.flatMap((member) => membersIn(member, ''))
}

function membersIn(member: ts.TypeElement, prefix: string): Member[] {
  const name = `${prefix}${member.name?.getText() ?? ''}`
  const doc = ts
    .getJSDocCommentsAndTags(member)
    .filter(ts.isJSDoc)
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
    .join(' ')
  if (ts.isMethodSignature(member)) {
    const parameters = member.parameters.map((each) => each.getText()).join(', ')
    return [{ name, type: `(${parameters}) => ${member.type?.getText() ?? 'void'}`, doc }]
  }
  if (!ts.isPropertySignature(member) || !member.type) return []
  if (ts.isTypeLiteralNode(member.type)) {
    const inside = member.type.members.flatMap((each) => membersIn(each, `${name}.`))
    if (inside.length > 0) return inside
  }
  return [{ name, type: member.type.getText().replaceAll(/\s+/g, ' '), doc }]
}
