import type { ComponentChildren } from 'preact'

interface Heading {
  readonly name: string
  /** Aligns its cells as numbers. */
  readonly number?: true
  /** Its classes. */
  readonly look?: string
  /** Only screen readers read the name. */
  readonly unseen?: true
}

/** A column; a name alone stands for a column of texts. */
type Column = string | Heading

export const numbers = (name: string, look = ''): Heading => ({ name, look, number: true })

/** A column of buttons. */
export const buttons = (name: string): Heading => ({ name, unseen: true })

/** A column with classes. */
export const styled = (look: string, name: string): Heading => ({ name, look })

const classOf = ({ number, look = '' }: Heading): string => (number ? `number ${look}` : look)

interface TableProps<Row> {
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  /** Identifies a row. */
  readonly of: (row: Row) => string
  /** One cell per column. */
  readonly cells: (row: Row) => readonly ComponentChildren[]
  readonly class?: string
  /** Hides the names of the columns. */
  readonly headless?: true
}

/** A table whose first cells are row headers. If it is too wide, it scrolls. */
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
