import type { ComponentChildren } from 'preact'

/** A column with classes. */
export const styled = (classes: string, name: string) => ({ name, classes })

interface TableProps<Row> {
  /** A name alone stands for a column of texts. */
  readonly columns: readonly (string | ReturnType<typeof styled>)[]
  readonly rows: readonly Row[]
  /** Identifies a row. */
  readonly keyOf: (row: Row) => string
  /** One cell per column. */
  readonly cells: (row: Row) => readonly ComponentChildren[]
  readonly class?: string
  /** Hides the names of the columns. */
  readonly headless?: true
}

/** A table whose first cells are row headers. If it is too wide, it scrolls. */
export function Table<Row>({ columns, rows, keyOf, cells, class: classes = '', headless }: TableProps<Row>) {
  const headings = columns.map((each) => (typeof each === 'string' ? styled('', each) : each))
  return (
    <div class="wide">
      <table class={`t ${classes}`}>
        {!headless && (
          <thead>
            <tr>
              {headings.map(({ name, classes }) => (
                <th key={name} scope="col" class={classes}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {cells(row).map((cell, index) => {
                const Cell = index === 0 ? 'th' : 'td'
                return (
                  <Cell key={index} scope={index === 0 ? 'row' : undefined} class={headings[index]?.classes}>
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
