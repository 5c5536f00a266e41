import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import {
  countedOnly,
  DRAWN,
  hiddenBefore,
  listed,
  loaded,
  nameOf,
  paused,
  REMEMBERED,
  type Row,
  rows,
  version,
} from '../sandbox/journal.ts'
import { go, hrefOf, namespace, route } from '../sandbox/location.ts'
import { ALL } from '../sandbox/route.ts'
import { rules } from '../sandbox/world-state.ts'
import { isMasked } from '../text/keys.ts'
import { brief } from '../text/text.ts'
import { timeOfDay } from '../text/time.ts'
import { point } from '../timeline/point.ts'
import { Timeline } from '../timeline/timeline.tsx'
import { Detail } from './detail.tsx'
import { Empty } from './empty.tsx'
import { findingsOf, remainingOf } from './why.ts'

/** The live list, newest first, and the request that is looked at beside it. */
export function Requests() {
  version.value
  if (rows.length === 0 && loaded.value && route.value.id === undefined) return <Empty />
  return (
    <div class={`requests${route.value.id === undefined ? '' : ' looking'}`}>
      <Timeline />
      <section class="list" aria-label="Requests">
        <Bar />
        <List />
      </section>
      <Detail />
    </div>
  )
}

const FILTERS = ['status:4xx', 'status:5xx', 'is:warned']

function Bar() {
  const { filter } = route.value
  const { rows: found, total } = listed.value
  const toggle = (word: string) => {
    const words = filter.split(' ').filter(Boolean)
    const rest = words.filter((each) => each !== word)
    go({ filter: (rest.length < words.length ? rest : [...rest, word]).join(' ') }, true)
  }
  return (
    <div class="bar">
      <input
        id="filter"
        type="search"
        aria-label="Filter"
        placeholder="filter: words, status:4xx, key:psk_free"
        spellcheck={false}
        value={filter}
        onInput={({ currentTarget }) => go({ filter: currentTarget.value }, true)}
      />
      {FILTERS.map((word) => (
        <button
          key={word}
          type="button"
          class="act"
          aria-pressed={filter.split(' ').includes(word)}
          onClick={() => toggle(word)}
        >
          {word.replace(/.*:/, '')}
        </button>
      ))}
      <span class="quiet amount">
        {found.length.toLocaleString('en')} of {total.toLocaleString('en')}
        {countedOnly.value > 0 && `, ${countedOnly.value.toLocaleString('en')} more counted`}
      </span>
      <button
        type="button"
        class="act"
        aria-pressed={paused.value}
        onClick={() => {
          paused.value = !paused.value
        }}
      >
        Pause
      </button>
      <button
        type="button"
        class="act"
        title="Hides them in this page only"
        onClick={() => {
          hiddenBefore.value = rows.total
        }}
      >
        Clear
      </button>
    </div>
  )
}

/** Grows as the list is scrolled. */
const drawn = signal(DRAWN)

function onScroll({
  currentTarget: { scrollTop, clientHeight, scrollHeight },
}: {
  currentTarget: HTMLElement
}): void {
  if (scrollTop === 0) drawn.value = DRAWN
  else if (scrollHeight - scrollTop - clientHeight < 800)
    drawn.value = Math.min(drawn.value + 100, REMEMBERED)
}

function List() {
  const { rows: found, total } = listed.value
  return (
    <div class="scroll" tabIndex={-1} onScroll={onScroll}>
      <ol class="rows">{linesOf(found.slice(0, drawn.value))}</ol>
      {found.length === 0 && (
        <p class="none">
          {total === 0 ? 'Nothing yet. The next request appears here.' : 'No request matches the filter.'}
        </p>
      )}
      {total === REMEMBERED && found.length > 0 && (
        <p class="none">The page remembers the last {REMEMBERED.toLocaleString('en')} requests.</p>
      )}
    </div>
  )
}

interface Drawn {
  readonly of: readonly unknown[]
  readonly line: VNode
}
/** Of what is drawn, and of nothing else: a line holds its elements. */
let lines: ReadonlyMap<Row, Drawn> = new Map()

/** The same lines as before where nothing about them has changed: what is the same is not drawn again. */
function linesOf(shown: readonly Row[]): VNode[] {
  const of = [route.value, rules.value, point.value]
  const known = lines
  const drawn = new Map(
    shown.map((row) => {
      const before = known.get(row)
      const isSame = before?.of.every((each, index) => each === of[index])
      return [row, before && isSame ? before : { of, line: <Line key={nameOf(row.entry)} row={row} /> }]
    }),
  )
  lines = drawn
  return [...drawn.values()].map(({ line }) => line)
}

export const statusClass = (status: number): string =>
  status === 0 || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'

function Line({ row }: { row: Row }) {
  const { entry } = row
  const left = remainingOf(entry)
  const findings = findingsOf(entry, { rules: rules.value })
  const { id, of = entry.namespace } = route.value
  const isLater = point.value !== undefined && row.at >= point.value.at
  const isSelected = id === entry.id && of === entry.namespace
  return (
    <li>
      <a
        class={isLater ? 'row later' : 'row'}
        href={hrefOf({ id: entry.id, of: entry.namespace })}
        data-row={nameOf(entry)}
        aria-current={isSelected ? 'true' : undefined}
      >
        <span class="quiet at">{timeOfDay(entry.at)}</span>
        <span class="method">{brief(entry.method, 12)}</span>
        <span class="path">{brief(entry.query ? `${entry.path}?${entry.query}` : entry.path)}</span>
        <span class={`status ${statusClass(entry.status)}`}>
          {entry.status === 0 ? 'none' : entry.status}
        </span>
        <span class="quiet who">{who(row)}</span>
        <span class="quiet left">{left === undefined ? '' : `${left.toLocaleString('en')} left`}</span>
        <span class="quiet ms">{entry.ms < 1 ? '<1' : Math.round(entry.ms)} ms</span>
        <span class="findings">
          {findings.slice(0, 3).map(({ text, tone }) => (
            <span key={text} class={`finding ${tone}`}>
              {brief(text, 80)}
            </span>
          ))}
        </span>
      </a>
    </li>
  )
}

function who({ entry: { key, plan, namespace: of } }: Row): string {
  const name = key === null ? 'no key' : isMasked(key) ? `${plan ?? 'unknown'} key` : key
  return brief(namespace.value === ALL && of !== 'default' ? `${name} ${of}` : name, 40)
}
