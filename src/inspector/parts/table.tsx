import type { ComponentChildren } from 'preact'

interface Heading {
  readonly name: string
  /** Its cells are aligned as numbers. */
  readonly number?: true
  /** Its classes. */
  readonly look?: string
  /** Only screen readers have the name. */
  readonly unseen?: true
}

/** A name alone is a column of texts. */
type Column = string | Heading

export const numbers = (name: string, look = ''): Heading => ({ name, look, number: true })

/** A column of buttons. */
export const buttons = (name: string): Heading => ({ name, unseen: true })

/** A column with classes. */
export const looking = (look: string, name: string): Heading => ({ name, look })

const classOf = ({ number, look = '' }: Heading): string => (number ? `number ${look}` : look)

interface TableProps<Row> {
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  /** What tells the row from the others. */
  readonly of: (row: Row) => string
  /** One for each column. */
  readonly cells: (row: Row) => readonly ComponentChildren[]
  readonly class?: string
  /** Without the names of the columns. */
  readonly headless?: true
}

/** Rows that are named by their first cells. A table that is wider than its place scrolls there. */
export function Table<Row>({ columns, rows, of, cells, class: look = '', headless }: TableProps<Row>) {
  const headings = columns.map((column): Heading => (typeof column === 'string' ? { name: column } : column))
  return (
    <div class="wide" tabIndex={0}>
      <table class={`t ${look}`}>
        {!headless && (
          <thead>
            <tr>
              {headings.map((each) => (
                <th key={each.name} scope="col" class={classOf(each)}>
                  {each.unseen ? <span class="unseen">{each.name}</span> : each.name}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row) => {
            const drawn = cells(row)
            return (
              <tr key={of(row)}>
                {headings.map((each, index) => {
                  const Cell = index === 0 ? 'th' : 'td'
                  return (
                    <Cell key={each.name} scope={index === 0 ? 'row' : undefined} class={classOf(each)}>
                      {drawn[index]}
                    </Cell>
                  )
                })}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
