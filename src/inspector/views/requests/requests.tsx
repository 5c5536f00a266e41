import { clear, countedOnly, isEmpty, listed, paused } from '../../data/journal.ts'
import { go, route } from '../../data/location.ts'
import { Timeline } from '../timeline/timeline.tsx'
import { Detail } from './detail.tsx'
import { Empty } from './empty.tsx'
import { List } from './list.tsx'

/** The live list, newest first, and the request that is looked at beside it. */
export function Requests() {
  if (isEmpty.value && route.value.id === undefined) return <Empty />
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
      <button type="button" class="act" title="Hides them in this page only" onClick={clear}>
        Clear
      </button>
    </div>
  )
}
