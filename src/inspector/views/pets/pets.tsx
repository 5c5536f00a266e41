import { computed, signal } from '@preact/signals'
import { type Field, petFields } from '../../data/contract.ts'
import { brief, count } from '../../text/text.ts'
import { PetActs } from './pet-acts.tsx'
import { PAGE, type PetRow, pageOf, pets, petTotal, wantedStatus, wantPages } from './pet-pages.ts'
import { firstRow, HEIGHT, ROW, shownRows } from './scroll.ts'

const top = signal(0)
const height = signal(600)

/** The pets of the world: however many there are, only what is seen is fetched and drawn. */
export function Pets() {
  return (
    <div class="pets">
      <Bar />
      <Table />
      <PetActs />
    </div>
  )
}

/** The statuses of a pet in the effective document. */
const statuses = computed(() =>
  (petFields.value.find(({ name }) => name === 'status')?.enum ?? []).map(String),
)

const Bar = () => (
  <div class="bar">
    {['', ...statuses.value].map((status) => (
      <button
        key={status}
        type="button"
        class="act"
        aria-pressed={wantedStatus.value === status}
        onClick={() => {
          wantedStatus.value = status
          document.querySelector('#pets')?.scrollTo(0, 0)
        }}
      >
        {brief(status || 'all', 40)}
      </button>
    ))}
    <span class="push" />
    <span class="quiet amount">{petTotal.value === undefined ? '' : count(petTotal.value, 'pet')}</span>
  </div>
)

function measure(element: HTMLElement | null): void {
  if (!element) return
  height.value = element.clientHeight
}

/** Texts get the most room; a choice is never cut. */
const columnsOf = (fields: readonly Field[]): string =>
  fields
    .map(({ name, type, enum: choices }) =>
      name === 'id'
        ? 'minmax(5ch, 0.6fr)'
        : choices
          ? `minmax(${Math.max(...choices.map((choice) => String(choice).length), name.length)}ch, 1fr)`
          : type === 'string'
            ? 'minmax(12ch, 2fr)'
            : 'minmax(10ch, 1fr)',
    )
    .join(' ')

const shownValue = (value: unknown): string =>
  value === undefined ? '' : brief(typeof value === 'object' ? JSON.stringify(value) : String(value))

const cellsOf = (fields: readonly Field[], pet: PetRow | undefined) =>
  fields.map(({ name }) => {
    const text = pet ? shownValue(pet[name]) : '…'
    return (
      <td key={name} title={text.length > 20 ? text : undefined}>
        {text}
      </td>
    )
  })

function Table() {
  const fields = petFields.value
  const total = petTotal.value ?? 0
  const room = { total, height: height.value }
  const first = firstRow(top.value, room)
  const count = shownRows(room)
  // Behind the first row that is seen, in a list whose height a browser can draw.
  const offset = top.value - (total * ROW > HEIGHT ? 0 : top.value % ROW)
  wantPages(first, count)
  const rows = Array.from({ length: Math.min(count, total - first) }, (_, index) => first + index)
  return (
    <section
      id="pets"
      class="virtual"
      ref={measure}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      aria-label="Pets"
      onScroll={({ currentTarget }) => {
        top.value = currentTarget.scrollTop
        height.value = currentTarget.clientHeight
      }}
    >
      <table aria-label="Pets" aria-rowcount={total + 1} style={{ '--columns': columnsOf(fields) }}>
        <thead>
          <tr aria-rowindex={1}>
            {fields.map(({ name }) => (
              <th key={name} scope="col">
                {brief(name, 40)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody style={{ height: `${Math.min(total * ROW, HEIGHT)}px` }}>
          {rows.map((index, place) => (
            <tr
              key={place}
              style={{ transform: `translateY(${offset + place * ROW}px)` }}
              aria-rowindex={index + 2}
            >
              {cellsOf(fields, pets.value.get(pageOf(index))?.[index % PAGE])}
            </tr>
          ))}
        </tbody>
      </table>
      {total === 0 && petTotal.value !== undefined && (
        <p class="none">No pets here. Seed some, or add one.</p>
      )}
    </section>
  )
}
