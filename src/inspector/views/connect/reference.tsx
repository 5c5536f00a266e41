import { useSignal } from '@preact/signals'
import { shellWord } from '../../../text/shell.ts'
import { shorten } from '../../../text/shorten.ts'
import { API_URL } from '../../data/api.ts'
import { type Field, operations, type ServedOperation, served } from '../../data/document.ts'
import { EVERYTHING, hrefOf, world } from '../../data/location.ts'
import { jsonOf, type Typed } from '../../data/typed.ts'
import { Form } from '../../parts/form.tsx'
import { styled, Table } from '../../parts/table.tsx'
import { pretty } from '../../text/json.ts'
import { brief, visible } from '../../text/text.ts'

/** The operations of the effective document, each with a command to send it. */
export function Reference({ apiKey }: { apiKey: string }) {
  const { info } = served.value
  return (
    <section aria-label="API reference">
      <h2>
        API reference{' '}
        <span class="quiet small">
          from the document of this sandbox, {brief(info?.title ?? '', 80)} {brief(info?.version ?? '', 20)}
        </span>
      </h2>
      {operations.value.map((operation) => (
        <Operation key={`${operation.method} ${operation.path}`} operation={operation} apiKey={apiKey} />
      ))}
    </section>
  )
}

/** The number of characters of an answer that are shown. */
const MAX_SHOWN = 4000

/** A description of a document in one line. Text between backticks is code (CommonMark, section 6.1). */
const described = (text: string, length: number) =>
  brief(text.replace(/\s+/g, ' '), length)
    .split('`')
    .map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))

/** Inputs and answers, with their types and meanings. */
const Meanings = ({ rows }: { rows: readonly Pick<Field, 'name' | 'typeText' | 'description'>[] }) => (
  <Table
    headless
    rows={rows}
    keyOf={({ name }) => name}
    columns={[styled('data', 'Name'), styled('quiet small', 'Meaning')]}
    cells={({ name, typeText = '', description = '' }) => [
      brief(name, 60),
      [brief(typeText, 120), typeText && description && <br />, described(description, 200)],
    ]}
  />
)

function Operation({ operation, apiKey }: { operation: ServedOperation; apiKey: string }) {
  const { method, path, operationId, summary = '', description = '', deprecated, inputs, answers } = operation
  return (
    <article class="operation">
      <div>
        <h3 class="data">{`${method} ${visible(path)}`}</h3>
        <p class="quiet small">
          {brief(operationId ?? '', 80)}
          {deprecated && <span class="warn"> deprecated</span>}
        </p>
        <p>{brief(summary, 200)}</p>
        <p class="quiet small">{described(description, 600)}</p>
      </div>
      <Meanings
        rows={inputs.map((input) => ({
          ...input,
          typeText: `${input.typeText ?? ''}${input.isRequired ? ', required' : ''}`,
        }))}
      />
      <Meanings rows={answers} />
      <Try operation={operation} apiKey={apiKey} />
    </article>
  )
}

/** The values of a parameter, with its name. A field with check boxes has them as JSON. */
function valuesOf({ name, items }: Field, text = ''): [string, string][] {
  const values: readonly string[] = items?.enum ? JSON.parse(text || '[]') : text === '' ? [] : [text]
  return values.map((value) => [name, value])
}

/** A command to send, and a link to its request. */
function Try({ operation, apiKey }: { operation: ServedOperation; apiKey: string }) {
  const { method, path, operationId, hasBody, inputs } = operation
  const answer = useSignal<{ readonly status: number; readonly id: string | null; readonly text: string }>()
  const named = (place: string) => inputs.filter((input) => input.in === place)
  const act = (typed: Typed) => {
    const given = (place: string) => named(place).flatMap((each) => valuesOf(each, typed[each.name]))
    const query = new URLSearchParams(given('query'))
    const filled = path.replace(/\{(.+?)\}/g, (_, name: string) => encodeURIComponent(typed[name] ?? ''))
    const url = `${API_URL}${filled}${query.size > 0 ? `?${query}` : ''}`
    const usual = {
      authorization: `Bearer ${apiKey}`,
      ...(hasBody && { 'content-type': 'application/json' }),
    }
    const headers = [...Object.entries(usual), ...given('header')]
    const body = hasBody ? jsonOf(named('body'), typed) : undefined
    const line = [
      'curl',
      ...(method === 'GET' ? [] : ['-X', method]),
      url,
      ...headers.flatMap((field) => ['-H', field.join(': ')]),
      ...(body === undefined ? [] : ['--data-raw', body]),
    ]
    const run = async () => {
      answer.value = undefined
      const response = await fetch(url, { method, headers, ...(hasBody && { body }) }).catch(() => {
        throw new Error('No response came: the connection broke.')
      })
      const received = await response.text()
      const text = shorten(pretty(received) ?? received, MAX_SHOWN)
      answer.value = { status: response.status, id: response.headers.get('x-request-id'), text }
    }
    return { command: line.map(shellWord).join(' '), run }
  }
  const about = operationId ?? `${method} ${path}`
  const { status, id, text = '' } = answer.value ?? {}
  return (
    <Form
      class="try actions"
      fields={inputs.filter((input) => input.in !== 'cookie')}
      first={Object.fromEntries(named('path').map(({ name }) => [name, '1']))}
      submit="Send"
      about={about}
      always
      act={act}
    >
      {status !== undefined && (
        <span role="status" class="data">
          {status} {id && <a href={hrefOf({ view: 'requests', ...EVERYTHING, id, of: world.value })}>{id}</a>}
        </span>
      )}
      {text !== '' && <pre tabIndex={0}>{visible(text, { lines: true })}</pre>}
    </Form>
  )
}
