import type { ComponentChildren } from 'preact'

interface Heading {
  readonly name: string
  /** Its classes. */
  readonly look: string
  /** Only screen readers read the name. */
  readonly unseen?: true
}

/** A column with classes. */
export const styled = (look: string, name: string): Heading => ({ name, look })

export const numbers = (name: string, look = ''): Heading => styled(`number ${look}`, name)

/** A column of buttons. */
export const buttons = (name: string): Heading => ({ name, look: '', unseen: true })

interface TableProps<Row> {
  /** A name alone stands for a column of texts. */
  readonly columns: readonly (string | Heading)[]
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
  const headings = columns.map((column) => (typeof column === 'string' ? styled('', column) : column))
  return (
    <div class="wide" tabIndex={0}>
      <table class={`t ${look}`}>
        {!headless && (
          <thead>
            <tr>
              {headings.map(({ name, look, unseen }) => (
                <th key={name} scope="col" class={look}>
                  {unseen ? <span class="unseen">{name}</span> : name}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row) => (
            <tr key={of(row)}>
              {cells(row).map((cell, index) => {
                const Cell = index === 0 ? 'th' : 'td'
                return (
                  <Cell key={index} scope={index === 0 ? 'row' : undefined} class={headings[index]?.look}>
                    {cell}
                  </Cell>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
