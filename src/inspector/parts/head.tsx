interface Column {
  readonly name: string
  readonly class?: string
  /** Only screen readers have the name. */
  readonly unseen?: true
}

/** A column whose cells are aligned as numbers. */
export const numbers = (name: string): Column => ({ name, class: 'number' })

/** A column of buttons. */
export const buttons = (name: string): Column => ({ name, unseen: true })

/** The head of a table; a text is a column of texts. */
export const Head = ({ columns }: { columns: readonly (string | Column)[] }) => (
  <thead>
    <tr>
      {columns
        .map((each): Column => (typeof each === 'string' ? { name: each } : each))
        .map(({ name, class: look, unseen }) => (
          <th key={name} scope="col" class={look}>
            {unseen ? <span class="unseen">{name}</span> : name}
          </th>
        ))}
    </tr>
  </thead>
)
