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

const headingOf = (column: Column): Heading => (typeof column === 'string' ? { name: column } : column)

const classOf = ({ number, look = '' }: Heading): string => (number ? `number ${look}` : look)

/** The head of a table. */
export const Head = ({ columns }: { columns: readonly Column[] }) => (
  <thead>
    <tr>
      {columns.map(headingOf).map((each) => (
        <th key={each.name} scope="col" class={classOf(each)}>
          {each.unseen ? <span class="unseen">{each.name}</span> : each.name}
        </th>
      ))}
    </tr>
  </thead>
)

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
export const Table = <Row,>({ columns, rows, of, cells, class: name = '', headless }: TableProps<Row>) => (
  <div class="wide" tabIndex={0}>
    <table class={`t ${name}`}>
      {!headless && <Head columns={columns} />}
      <tbody>
        {rows.map((row) => {
          const [first, ...others] = cells(row)
          const [heading = { name: '' }, ...headings] = columns.map(headingOf)
          return (
            <tr key={of(row)}>
              <th scope="row" class={classOf(heading)}>
                {first}
              </th>
              {headings.map((each, index) => (
                <td key={each.name} class={classOf(each)}>
                  {others[index]}
                </td>
              ))}
            </tr>
          )
        })}
      </tbody>
    </table>
  </div>
)
