import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { plural } from '../../../text/plural.ts'
import { answerOf, api, hasNamespaces } from '../../data/api.ts'
import { loaded } from '../../data/events.ts'
import { stops } from '../../data/listed.ts'
import { command, go, hrefOf, point, route, world } from '../../data/location.ts'
import { fixtures, namespaces, petsVersion, snapshots } from '../../data/state.ts'
import type { StateDiff } from '../../data/types.ts'
import { Button, Place, Result, read } from '../../parts/buttons.tsx'
import { styled, Table } from '../../parts/table.tsx'
import { isJson, keepDigits } from '../../text/json.ts'
import { amount, brief } from '../../text/text.ts'
import { makers, type PetRow } from './shown-pets.ts'

const found = signal<{ readonly of: string; readonly diff: StateDiff } | undefined>(undefined)

/** The current state, or the state at the shown point. */
const nowOf = (): string => (point.value === undefined ? 'now' : `at:${point.value}:before`)

/** The two states, which the URL has as `snapshot:sale..now`. */
function sides(): readonly string[] {
  const newest = snapshots.value.at(-1)
  const [a = '', b = ''] = (route.value.compare ?? '').split('..')
  const both = [a || (newest ? `snapshot:${newest.name}` : 'start'), b || 'now']
  return both.map((side) => (side === 'now' ? nowOf() : side))
}

/** The differences of two states; updated with each change. */
export function Compare() {
  const [a = '', b = ''] = sides()
  const of = `${world.value} ${a} ${b}`
  const version = petsVersion.value
  useEffect(() => {
    const stop = new AbortController()
    void read('compare', async () => {
      const query = { namespace: world.value, a, b }
      const diff = await answerOf(api.GET('/diff', { params: { query } }))
      if (!stop.signal.aborted) found.value = { of, diff }
    })
    return () => stop.abort()
  }, [of, version])
  const put = (a: string, b: string) => go({ compare: `${a}..${b}` }, true)
  const diff = found.value?.of === of ? found.value.diff : undefined
  const line = command('diff', a, b)
  return (
    <section class="compare side column" aria-label="Compare two states" data-command={line}>
      <div class="line">
        <h2>Compare</h2>
        <span class="push" />
        <Button class="text" text="Swap" command={command('diff', b, a)} run={() => put(b, a)} />
      </div>
      <div class="line">
        <Side label="Compare" value={a} change={(value) => put(value, b)} />
        <span class="quiet">with</span>
        <Side label="with" value={b} change={(value) => put(a, value)} />
      </div>
      <Place name="compare">{diff && <Differences diff={diff} of={of} />}</Place>
    </section>
  )
}

/** The limit of points in the choice of a state. */
const MAX = 50

function Side({ label, value, change }: { label: string; value: string; change: (value: string) => void }) {
  const points = stops.value.slice(-MAX).reverse()
  const others = namespaces.value.filter(({ name }) => hasNamespaces.value && name !== world.value)
  const groups: readonly (readonly [string, readonly string[]])[] = [
    ['this namespace', [nowOf(), 'start']],
    ['snapshots', snapshots.value.map(({ name }) => `snapshot:${name}`)],
    ['before a point', points.flatMap(({ id }) => (id === point.value ? [] : [`at:${id}:before`]))],
    ['namespaces', others.map(({ name }) => `namespace:${name}`)],
    ['fixtures', fixtures.value.map((name) => `fixture:${name}`)],
  ]
  const isKnown = groups.some(([, values]) => values.includes(value))
  return (
    <select aria-label={label} value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
      {!isKnown && <option value={value}>{brief(value, 60)}</option>}
      {groups.map(
        ([name, values]) =>
          values.length > 0 && (
            <optgroup key={name} label={name}>
              {values.map((each) => (
                <option key={each} value={each}>
                  {each.replace(/^at:(.*):before$/, 'before $1').replace(':', ' ')}
                </option>
              ))}
            </optgroup>
          ),
      )}
    </select>
  )
}

/** The request that created or last changed a pet. `others`: the text for a pet without one. */
export function MadeBy({ pet, others = '' }: { pet: PetRow; others?: string }) {
  const maker = makers.value.get(String(pet.id))
  return maker && isOf(pet, maker.request.body) ? (
    <a href={hrefOf({ view: 'requests', id: maker.id, of: world.value })}>{maker.id}</a>
  ) : (
    // Until they are read, a request may have made it.
    loaded.value && others
  )
}

/** False if a field differs from the sent value: a seed has replaced the pet since. */
function isOf(pet: PetRow, sent: string): boolean {
  // A cut or empty body cannot be compared.
  if (!isJson(sent)) return true
  const fields = Object.entries(JSON.parse(keepDigits(sent)) as PetRow)
  return fields.every(
    ([name, value]) => !(name in pet) || name === 'id' || textOf(value) === textOf(pet[name]),
  )
}

export const textOf = (value: unknown, none = 'none'): string =>
  value === undefined ? none : typeof value === 'object' ? JSON.stringify(value) : String(value)

/** The colour of a sign. */
const TONES: Readonly<Record<string, string>> = { '+': 'accent', '−': 'bad', '~': 'warn' }

function Differences({ diff: { added, removed, changed, limits }, of }: { diff: StateDiff; of: string }) {
  const rows = [
    ...added.first.map((pet: PetRow) => ({ mark: '+', pet, text: factsOf(pet) })),
    ...removed.first.map((pet: PetRow) => ({ mark: '−', pet, text: <s class="quiet">{factsOf(pet)}</s> })),
    ...changed.first.map((pet: PetRow, i) => ({ mark: '~', pet, text: changesOf(changed.was[i], pet) })),
  ]
  const total = added.count + removed.count + changed.count
  return (
    <>
      <Result of={of}>
        <b>
          {amount(added.count)} added, {amount(removed.count)} removed, {amount(changed.count)} changed.
        </b>{' '}
        {limits && limits.count > 0 && (
          <span class="quiet">The limits of {plural(limits.count, 'key')} differ.</span>
        )}
      </Result>
      <Table
        headless
        class="data stacked"
        columns={['Change', styled('number quiet', 'id'), 'Name', 'Fields', styled('quiet', 'From')]}
        rows={rows}
        keyOf={({ mark, pet }) => `${mark} ${pet.id}`}
        cells={({ mark, pet, text }) => [
          <span class={TONES[mark]}>{mark}</span>,
          String(pet.id),
          brief(String(pet.name), 60),
          text,
          mark !== '−' && <MadeBy pet={pet} />,
        ]}
      />
      {total > rows.length && <p class="quiet small">The first 100 of each are shown.</p>}
    </>
  )
}

function factsOf({ id: _id, name: _name, ...rest }: PetRow): string {
  const facts = Object.entries(rest).map(([name, value]) => (name === 'status' ? [value] : [name, value]))
  return brief(facts.map((fact) => fact.map((each) => textOf(each)).join(' ')).join(', '), 120)
}

/** The fields that differ: old → new. */
const changesOf = (was: PetRow = {}, is: PetRow) =>
  [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((field) => textOf(was[field]) !== textOf(is[field]))
    .map((field, index, all) => (
      <span key={field} class="pair">
        {field !== 'name' && field !== 'status' && `${brief(field, 40)} `}
        <span class="quiet">{brief(textOf(was[field]), 60)}</span> → {brief(textOf(is[field]), 60)}
        {index < all.length - 1 && ','}
      </span>
    ))
