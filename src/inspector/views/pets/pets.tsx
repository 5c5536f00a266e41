import { useLayoutEffect } from 'preact/hooks'
import { plural } from '../../../text/plural.ts'
import { type Field, petFields } from '../../data/document.ts'
import { goneReason } from '../../data/events.ts'
import { command, go, isAll, route, shownFlags } from '../../data/location.ts'
import { Button, Place, Result, Shortcut } from '../../parts/buttons.tsx'
import { useWindow } from '../../parts/window.ts'
import { amount, brief } from '../../text/text.ts'
import { Compare, MadeBy, textOf } from './compare.tsx'
import { PetForms } from './forms.tsx'
import { firstPet, pets, usePets } from './shown-pets.ts'
import './pets.css'

/** The pets of the namespace. Only visible ones are fetched and drawn. */
export function Pets() {
  usePets()
  return (
    <div class="pets">
      <section class="column" aria-label="Pets">
        <Bar />
        <Place name="pets" />
        <Table />
        <PetForms />
      </section>
      <Compare />
    </div>
  )
}

function Bar() {
  const { q = '', status } = route.value
  const { total, statuses = [], asked } = pets.value ?? {}
  return (
    <div class="bar actions">
      <span class="field">
        <input
          id="search"
          type="search"
          aria-label="Search by name or id"
          placeholder="name or id"
          spellcheck={false}
          value={q}
          onInput={({ currentTarget }) => go({ q: currentTarget.value || undefined }, true)}
        />
        <Shortcut name="/" />
      </span>
      {statuses.map(({ status: name, count: found }) => (
        <Button
          key={name}
          class="small"
          aria-pressed={status === name}
          command={command('pets', '--status', name, ...shownFlags())}
          run={() => go({ status: status === name ? undefined : name }, true)}
        >
          {brief(name, 40)} <span class="quiet">{amount(found)}</span>
        </Button>
      ))}
      <Result class="quiet amount" of={asked}>
        {total !== undefined &&
          `${plural(total, 'pet')}${asked === '{}' ? '' : ' found'}${isAll.value ? ' of default' : ''}`}
      </Result>
    </div>
  )
}

/** The number of characters of a field name that are shown. */
const HEADING = 40

/** Widths of a character in a heading and in a cell, in pixels. The unit `ch` would differ, as their fonts do. */
const WIDTH = { heading: 6.5, cell: 7.5 }

/** Texts get the most space; a choice and a heading are never cut. */
const columnsOf = (fields: readonly Field[]): string =>
  fields
    .map(({ name, type, enum: choices = [] }) => {
      if (name === 'id') return `minmax(${5 * WIDTH.cell}px, 0.6fr)`
      const isText = type === 'string' && choices.length === 0
      // A date has 10 characters.
      const shortest = Math.max(isText ? 10 : 9, ...choices.map((choice) => String(choice).length))
      const width = Math.max(shortest * WIDTH.cell, Math.min(name.length, HEADING) * WIDTH.heading)
      return `minmax(${width}px, ${isText ? 2 : 1}fr)`
    })
    .join(' ')

/** Marks the search text in a name or an id. */
function marked(text: string, name: string) {
  const wanted = route.value.q?.toLowerCase() ?? ''
  const lower = text.toLowerCase()
  // The lower case of some letters is longer, so that the positions in both texts differ.
  const isSame = lower.length === text.length
  const at = name === 'name' && wanted !== '' && isSame ? lower.indexOf(wanted) : -1
  if (at < 0) return name === 'id' && text === wanted ? <mark>{text}</mark> : text
  const end = at + wanted.length
  return [text.slice(0, at), <mark key="found">{text.slice(at, end)}</mark>, text.slice(end)]
}

/** The height of a row, in pixels. */
const ROW = 24
const topOf = (index: number): number => index * ROW

function Table() {
  const fields = petFields.value
  const { total = 0, skip = 0, rows: known = [] } = pets.value ?? {}
  const { q, status } = route.value
  const view = useWindow({ count: total, topOf })
  useLayoutEffect(() => view.reveal(0), [q, status])
  useLayoutEffect(() => {
    firstPet.value = view.first
  }, [view.first])
  const rows = Array.from({ length: view.last - view.first }, (_, place) => view.first + place)
  return (
    <section
      id="pets"
      class="scroll"
      ref={view.host}
      tabIndex={0}
      aria-label="Rows of pets"
      onScroll={view.onScroll}
    >
      <table aria-label="Pets" aria-rowcount={total + 1} style={{ '--columns': columnsOf(fields) }}>
        <thead>
          <tr class="row quiet small" aria-rowindex={1}>
            {[...fields.map(({ name }) => name), 'from'].map((name) => (
              <th key={name} scope="col">
                {brief(name, HEADING)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody style={view.style}>
          {rows.map((index) => {
            const pet = known[index - skip]
            return (
              <tr key={index} class="row data" aria-rowindex={index + 2}>
                {fields.map(({ name, type }) => {
                  const text = pet ? brief(textOf(pet[name], '')) : '…'
                  const isNumber = type === 'integer'
                  const content = marked(text, name)
                  return (
                    <td key={name} title={text.length > (isNumber ? 4 : 20) ? text : undefined}>
                      {isNumber ? <bdi>{content}</bdi> : content}
                    </td>
                  )
                })}
                <td class="quiet">
                  {pet && <MadeBy pet={pet} others={goneReason.value ? 'seed or earlier' : 'seed'} />}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {total === 0 && pets.value && (
        <p class="none">{q || status ? 'No pet matches.' : 'No pets here. Seed some, or add one.'}</p>
      )}
    </section>
  )
}
