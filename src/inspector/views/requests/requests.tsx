import { useEffect, useRef } from 'preact/hooks'
import { API_URL } from '../../data/api.ts'
import {
  clear,
  clearedTo,
  countedEvents,
  events,
  isEmpty,
  kept,
  missed,
  paused,
  requests,
  span,
  unknownFields,
} from '../../data/events.ts'
import { FIELD_NAMES, isError, isMarked, wordsOf } from '../../data/filter.ts'
import { command, go, hrefOf, route, world } from '../../data/location.ts'
import { Copy, Press } from '../../parts/act.tsx'
import { quote } from '../../text/commands.ts'
import { brief, count } from '../../text/text.ts'
import { timeOfDay } from '../../text/time.ts'
import { clockAt } from '../timeline/plot.ts'
import { Timeline } from '../timeline/timeline.tsx'
import { Detail } from './detail.tsx'
import { List, step } from './list.tsx'
import './requests.css'

/** What happened, newest first, and beside it what is looked at. */
export function Requests() {
  if (isEmpty.value && route.value.id === undefined) return <Start />
  return (
    <div class={`requests${route.value.id === undefined ? '' : ' looking'}`}>
      <Timeline />
      <section class="list" aria-label="Requests">
        <Bar />
        <div class="row heads" aria-hidden="true">
          <span class="at">clock, UTC</span>
          <span class="method" />
          <span class="target">path</span>
          <span class="status">status</span>
          <span class="finding">finding</span>
          <span class="key">key</span>
          <span class="left">left</span>
          <span class="took">took</span>
        </div>
        <List />
      </section>
      <Detail />
    </div>
  )
}

/** Filters of one press: each is some words of the filter. */
const CHIPS = [
  { name: 'errors', words: ['status:4xx', 'status:5xx', 'status:none'], matches: isError },
  { name: 'findings', words: ['finding:any'], matches: isMarked },
] as const

function Bar() {
  const filter = route.value.filter ?? ''
  const all = requests.value
  const undone = kept.value.filter(({ kind, branch }) => kind === 'request' && branch !== undefined).length
  const more = countedEvents.value.reduce(
    (sum, { statuses }) => sum + Object.values(statuses).reduce((some, each) => some + each, 0),
    0,
  )
  const put = (words: readonly string[]) => go({ filter: words.join(' ') || undefined }, true)
  const now = wordsOf(filter)
  const time = span.value
  const clock = (real: number) =>
    timeOfDay(clockAt({ events: events.value, now: Date.now(), clock: Date.now() }, real), 0)
  const hidden =
    clearedTo.value === 0
      ? 0
      : events.value.filter(({ kind, branch }) => kind === 'request' && !branch).length - all.length
  return (
    <div class="bar">
      <span class="field">
        <input
          id="filter"
          type="search"
          aria-label="Filter"
          placeholder="Filter: words, status:4xx, key:psk_free"
          spellcheck={false}
          value={filter}
          data-command={command('requests', ...(filter ? ['--q', filter] : []))}
          onInput={({ currentTarget }) => go({ filter: currentTarget.value || undefined }, true)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' && event.key !== 'ArrowDown') return
            event.preventDefault()
            step(0)
          }}
        />
        <kbd>/</kbd>
      </span>
      {CHIPS.map(({ name, words, matches }) => {
        const isOn = words.every((word) => now.includes(word))
        return (
          <Press
            key={name}
            class="small"
            aria-pressed={isOn}
            command={command('requests', '--json')}
            run={() =>
              put(
                isOn
                  ? now.filter((word) => !words.includes(word as never))
                  : [...now.filter((word) => !words.includes(word as never)), ...words],
              )
            }
          >
            {name}{' '}
            <span class="quiet">{all.filter(({ entry }) => matches(entry)).length.toLocaleString('en')}</span>
          </Press>
        )
      })}
      {time && (
        <a class="b small" href={hrefOf({ from: undefined, to: undefined })}>
          {clock(time.from)} to {clock(time.to)} ✕
        </a>
      )}
      <span class="quiet amount" role="status">
        {count(all.length, 'request')}
        {undone > 0 && `, and ${undone.toLocaleString('en')} undone`}
        {more > 0 && `, ${more.toLocaleString('en')} more counted`}
      </span>
      <Press class="text small" aria-pressed={paused.value} run={() => (paused.value = !paused.value)}>
        {paused.value ? `Paused, ${missed.value} since` : 'Pause'}
      </Press>
      {hidden > 0 ? (
        <Press class="text small" run={() => (clearedTo.value = 0)}>
          Show {hidden.toLocaleString('en')}
        </Press>
      ) : (
        <Press class="text small" title="Hides them in this page only" run={clear}>
          Clear
        </Press>
      )}
      {unknownFields.value.length > 0 && (
        <p class="note" role="status">
          no field {brief(unknownFields.value.join(', '), 60)}; fields are {FIELD_NAMES.join(', ')}
        </p>
      )}
    </div>
  )
}

/** Shown while nothing happened: address, key, and a first request to paste. */
function Start() {
  const key = world.value === 'default' ? 'psk_pro' : `psk_pro.${world.value}`
  const curl = `curl ${quote(`${API_URL}/pets`)} -H ${quote(`Authorization: Bearer ${key}`)}`
  const host = useRef<HTMLElement>(null)
  useEffect(() => {
    if (document.activeElement === document.body)
      host.current?.querySelector<HTMLElement>('.primary')?.focus()
  }, [])
  const lines = [
    ['base URL', API_URL],
    ['key', key],
    ['first request', curl],
  ] as const
  return (
    <section class="start" aria-label="Start" ref={host}>
      <h2>No request yet</h2>
      <p class="quiet">
        Point your app at the base URL, or paste the last line into a terminal. The request appears here at
        once.
      </p>
      {lines.map(([name, text]) => (
        <p key={name} class="line">
          <span class="quiet">{name}</span>
          <code>{text}</code>
          <Copy text={text} class={name === 'first request' ? 'primary' : ''} />
        </p>
      ))}
      <p class="quiet">
        <a href={hrefOf({ view: 'limits' })}>Other keys</a> meet limits, bans and faults;{' '}
        <a href={hrefOf({ view: 'connect' })}>Connect</a> has fetch, axios, Vite and Playwright.
      </p>
    </section>
  )
}
