import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { API_URL } from '../../data/api.ts'
import {
  fieldsOf,
  operations,
  type Referable,
  readDocument,
  resolved,
  type Schema,
  type ServedOperation,
  type ServedParameter,
  served,
} from '../../data/document.ts'
import { hrefOf, world } from '../../data/location.ts'
import { Act, Refused } from '../../parts/act.tsx'
import { quote } from '../../text/commands.ts'
import { pretty } from '../../text/json.ts'
import { brief, visible } from '../../text/text.ts'

/** The operations of the effective document, what an overlay adds too, each with a line to send. */
export function Reference({ apiKey }: { apiKey: string }) {
  const of = world.value
  useEffect(() => void readDocument(of), [of])
  const { info } = served.value
  return (
    <section aria-label="API reference">
      <h2>
        API reference{' '}
        <span class="quiet small">
          drawn from the document of this sandbox, {brief(info?.title ?? '', 80)}{' '}
          {brief(info?.version ?? '', 20)}
        </span>
      </h2>
      {operations.value.map((operation) => (
        <Operation key={`${operation.method} ${operation.path}`} operation={operation} apiKey={apiKey} />
      ))}
    </section>
  )
}

/** The name of a schema, or its type with its bounds. */
function typeOf(schema: Schema = {}): string {
  const name = schema.$ref?.replace(/.*\//, '')
  if (name !== undefined) return name
  if (schema.items) return `${typeOf(schema.items)}[]`
  if (schema.enum) return schema.enum.join(', ')
  const { type, format, minimum, maximum } = schema
  const bounds = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : ''
  return `${[format ?? type ?? 'any'].flat().join(' or ')}${bounds}`
}

interface Input {
  readonly name: string
  readonly in: string
  readonly type: string
  readonly text: string
}

const schemaOf = ({ content = {} }: Referable): Schema | undefined => Object.values(content)[0]?.schema

function inputsOf({ parameters = [], requestBody }: ServedOperation): readonly Input[] {
  const given = parameters.map((parameter): Input => {
    const {
      name,
      in: place,
      required,
      schema,
      description = '',
    }: ServedParameter = resolved(served.value, parameter)
    return { name, in: place, type: `${typeOf(schema)}${required ? ', required' : ''}`, text: description }
  })
  const schema = requestBody && schemaOf(resolved(served.value, requestBody))
  const fields = schema ? fieldsOf(served.value, schema) : []
  return [
    ...given,
    ...fields.map(({ name, isRequired, description = '', ...field }) => ({
      name,
      in: 'body',
      type: `${typeOf(field)}${isRequired ? ', required' : ''}`,
      text: description,
    })),
  ]
}

function Operation({ operation, apiKey }: { operation: ServedOperation; apiKey: string }) {
  const { method, path, operationId, summary = '', description = '', deprecated, responses = {} } = operation
  return (
    <article class="operation">
      <div>
        <h3 class="data">
          {method} {visible(path)}
        </h3>
        <p class="quiet small">
          {brief(operationId ?? '', 80)}
          {deprecated && <span class="warn"> deprecated</span>}
        </p>
        <p>{brief(summary, 200)}</p>
        <p class="quiet small">{brief(description.replace(/\s+/g, ' '), 600)}</p>
      </div>
      <table class="t">
        <tbody>
          {inputsOf(operation).map((input) => (
            <tr key={`${input.in} ${input.name}`}>
              <th scope="row" class="data">
                {brief(input.name, 60)}
              </th>
              <td class="quiet small">
                {brief(input.type, 120)}
                {input.text && <br />}
                {brief(input.text.replace(/\s+/g, ' '), 200)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <table class="t">
        <tbody>
          {Object.entries(responses).map(([status, response]) => {
            const found = resolved(served.value, response)
            const schema = schemaOf(found)
            return (
              <tr key={status}>
                <th scope="row" class="data">
                  {status}
                </th>
                <td class="quiet small">
                  {schema && `${typeOf(schema)}. `}
                  {brief((found.description ?? '').replace(/\s+/g, ' '), 160)}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      <Try operation={operation} apiKey={apiKey} />
    </article>
  )
}

interface Answer {
  readonly status: number
  readonly id: string | null
  readonly text: string
}

/** A line to send, whose answer leads to its row. */
function Try({ operation, apiKey }: { operation: ServedOperation; apiKey: string }) {
  const typed = useSignal<Readonly<Record<string, string>>>({})
  const answer = useSignal<Answer | undefined>(undefined)
  const inputs = inputsOf(operation).filter((input) => input.in !== 'header' && input.in !== 'cookie')
  const value = ({ in: place, name }: Input): string => typed.value[`${place} ${name}`] ?? ''
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(typed.value[`path ${name}`] || '1'),
  )
  const query = new URLSearchParams(
    inputs
      .filter((input) => input.in === 'query' && value(input) !== '')
      .map((input) => [input.name, value(input)]),
  )
  const url = `${API_URL}${path}${query.size > 0 ? `?${query}` : ''}`
  const fields = inputs.filter((input) => input.in === 'body' && value(input) !== '')
  const body =
    operation.requestBody &&
    `{${fields.map((input) => `${JSON.stringify(input.name)}:${jsonOf(value(input), input.type)}`).join(',')}}`
  const id = operation.operationId ?? `${operation.method} ${operation.path}`
  const line = [
    'curl',
    ...(operation.method === 'GET' ? [] : ['-X', operation.method]),
    quote(url),
    `-H ${quote(`Authorization: Bearer ${apiKey}`)}`,
    ...(body ? [`-H ${quote('Content-Type: application/json')}`, `--data-raw ${quote(body)}`] : []),
  ].join(' ')
  const send = async () => {
    const response = await fetch(url, {
      method: operation.method,
      headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body }),
    })
    answer.value = {
      status: response.status,
      id: response.headers.get('x-request-id'),
      text: (await response.text()).slice(0, 4000),
    }
  }
  return (
    <form class="try">
      <div class="acts">
        {inputs.map((input) => (
          <label key={`${input.in} ${input.name}`} class="data">
            {brief(input.name, 40)}{' '}
            <input
              size={9}
              spellcheck={false}
              aria-label={`${input.name} of ${id}`}
              value={value(input)}
              onInput={({ currentTarget }) => {
                typed.value = { ...typed.value, [`${input.in} ${input.name}`]: currentTarget.value }
              }}
            />
          </label>
        ))}
        <Act
          type="submit"
          class="primary"
          place={`try ${id}`}
          label={`Send ${id}`}
          command={line}
          run={send}
          always
        >
          Send
        </Act>
        {answer.value && (
          <span role="status" class="data">
            {answer.value.status}{' '}
            {answer.value.id && (
              <a href={hrefOf({ view: 'requests', id: answer.value.id, filter: undefined })}>
                {answer.value.id}
              </a>
            )}
          </span>
        )}
      </div>
      {answer.value && answer.value.text !== '' && (
        <pre tabIndex={0}>{visible(pretty(answer.value.text) ?? answer.value.text, { lines: true })}</pre>
      )}
      <Refused place={`try ${id}`} />
    </form>
  )
}

/** A text is a text, anything else goes in as it stands. */
function jsonOf(text: string, type: string): string {
  if (type.startsWith('string')) return JSON.stringify(text)
  try {
    JSON.parse(text)
    return text
  } catch {
    return JSON.stringify(text)
  }
}
