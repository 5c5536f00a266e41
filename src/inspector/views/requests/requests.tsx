import { plural } from '../../../text/plural.ts'
import { shellWord } from '../../../text/shell.ts'
import { keyIn, SERVICE_KEY } from '../../data/address.ts'
import { API_URL, hasState } from '../../data/api.ts'
import { clear, counts, events, loaded, paused, requests, showAll } from '../../data/events.ts'
import { FIELD_NAMES, isError, isMarked, wordsOf } from '../../data/filter.ts'
import { foundCount, isLater, missedCount, span, unknownFields } from '../../data/listed.ts'
import { go, hrefOf, route, world } from '../../data/location.ts'
import { ownNamespace } from '../../data/state.ts'
import { Button, Result, Shortcut, Snippet } from '../../parts/buttons.tsx'
import { amount, brief } from '../../text/text.ts'
import { Timeline } from '../timeline/timeline.tsx'
import { Detail } from './detail.tsx'
import { List, spanText, step } from './list.tsx'
import './requests.css'

/** The list of events, newest first, and beside it the selected one. */
export function Requests() {
  const isEmpty = loaded.value && events.value.length === 0
  // The empty list of a copy names the original.
  if (isEmpty && route.value.id === undefined && !ownNamespace.value?.origin) return <Start />
  return (
    <div class={`requests${route.value.id === undefined ? '' : ' with-detail'}`}>
      <Timeline />
      <section class="list column" aria-label="Requests">
        <Bar />
        <List />
      </section>
      <Detail />
    </div>
  )
}

/** Filters as buttons; each stands for a text of the filter. */
const CHIPS = [
  { name: 'errors', words: ['status:4xx', 'status:5xx', 'status:none'], matches: isError },
  { name: 'findings', words: ['finding:any'], matches: isMarked },
]

function Bar() {
  const { filter = '' } = route.value
  const { hidden, undone, onlyCounted } = counts.value
  const all = requests.value.filter((event) => !isLater(event))
  const later = requests.value.length - all.length
  const put = (text: string) => go({ filter: text || undefined }, true)
  return (
    <div class="bar actions">
      <span class="field">
        <input
          id="filter"
          type="search"
          aria-label="Filter"
          placeholder="Filter: words, status:4xx, key:psk_free"
          spellcheck={false}
          value={filter}
          onInput={({ currentTarget }) => put(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' && event.key !== 'ArrowDown') return
            event.preventDefault()
            step(0)
          }}
        />
        <Shortcut name="/" />
      </span>
      {CHIPS.map(({ name, words, matches }) => {
        const others = wordsOf(filter).filter((word) => !words.includes(word))
        const found = all.filter(({ entry }) => matches(entry))
        const isOn = words.every((word) => wordsOf(filter).includes(word))
        return (
          <Button
            key={name}
            class="small"
            aria-pressed={isOn}
            run={() => put([...others, ...(isOn ? [] : words)].join(' '))}
          >
            {name} <span class="quiet">{loaded.value && amount(found.length)}</span>
          </Button>
        )
      })}
      {span.value && (
        <a class="b small" href={hrefOf({ from: undefined, to: undefined })}>
          {spanText(span.value)} ✕
        </a>
      )}
      <span class="quiet small amount">
        <Result>{(filter || span.value) && `${amount(foundCount.value)} of `}</Result>
        {loaded.value && plural(all.length, 'request')}
        {later > 0 && `, ${amount(later)} later`}
        {undone > 0 && `, and ${amount(undone)} undone`}
        {onlyCounted > 0 && `, ${amount(onlyCounted)} more counted`}
      </span>
      <Button
        class="text small"
        text={paused.value ? `Paused, ${missedCount.value} since` : 'Pause'}
        aria-pressed={paused.value}
        run={() => (paused.value = !paused.value)}
      />
      <Button
        class="text small"
        text={hidden > 0 ? `Show ${amount(hidden)}` : 'Clear'}
        title="In this page only"
        run={hidden > 0 ? showAll : clear}
      />
      {unknownFields.value.length > 0 && (
        <p class="whole small warn" role="status">
          no field {brief(unknownFields.value.join(', '), 60)}; fields are {FIELD_NAMES.join(', ')}
        </p>
      )}
    </div>
  )
}

function focusPrimary(host: HTMLElement | null): void {
  if (document.activeElement === document.body) host?.querySelector<HTMLElement>('.primary')?.focus()
}

/** Shown until something happens: address, key, and a first request to paste. */
function Start() {
  const key = hasState.value ? keyIn(world.value, 'psk_pro') : SERVICE_KEY
  const request = `curl ${shellWord(`${API_URL}/pets`)} -H ${shellWord(`Authorization: Bearer ${key}`)}`
  return (
    <section class="start column" aria-label="Start" ref={focusPrimary}>
      <h2>No request yet</h2>
      <p class="quiet">
        Point your app at the base URL, or paste the last line into a terminal. The request appears here at
        once.
      </p>
      <Snippet name="base URL" text={API_URL} />
      <Snippet name="key" text={key} />
      <Snippet name="first request" text={request} class="primary" />
      <p class="quiet">
        {hasState.value && (
          <>
            <a href={hrefOf({ view: 'limits' })}>Other keys</a> meet limits, bans and faults;{' '}
          </>
        )}
        <a href={hrefOf({ view: 'connect' })}>Connect</a> has code for your app, and the API reference.
      </p>
    </section>
  )
}
