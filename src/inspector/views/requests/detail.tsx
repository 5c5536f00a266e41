import { signal } from '@preact/signals'
import { ORIGIN } from '../../data/api.ts'
import { around } from '../../data/history.ts'
import { loaded, nameOf, selected } from '../../data/journal.ts'
import { commandIn, hrefOf, route, world } from '../../data/location.ts'
import { point } from '../../data/point.ts'
import type { Entry } from '../../data/types.ts'
import { addFault, worldNow } from '../../data/world-state.ts'
import { Act, attempt, Copy, copy, Refused } from '../../parts/act.tsx'
import { faultWords } from '../../text/commands.ts'
import { pretty } from '../../text/json.ts'
import { brief, visible } from '../../text/text.ts'
import { distance, timeOfDay, took } from '../../text/time.ts'
import { asCurl, asFault, asFetch, asVerify, targetOf } from './copy-as.ts'
import { statusClass } from './list.tsx'
import { Resend } from './resend.tsx'
import { why } from './why.ts'

type Side = 'response' | 'request'
const side = signal<Side>('response')
const raw = signal(false)

/** One request: first why it was answered so, then what can be done with it, then what went over the wire. */
export function Detail() {
  const { id } = route.value
  if (id === undefined) return null
  const row = selected.value
  return (
    <section class="detail" aria-label="Request">
      <a class="back" href={hrefOf({ id: undefined })}>
        Back to the list <kbd>Esc</kbd>
      </a>
      {row ? <Shown key={nameOf(row.entry)} entry={row.entry} /> : <Missing id={id} />}
    </section>
  )
}

const Missing = ({ id }: { id: string }) =>
  loaded.value ? (
    <p class="none">{brief(id, 40)} is not among the requests that are still remembered here.</p>
  ) : null

function Shown({ entry }: { entry: Entry }) {
  const now = worldNow.value
  return (
    <>
      <h2 class="target">
        {brief(entry.method, 20)} {brief(targetOf(entry), 600)}
      </h2>
      <p class="quiet facts">
        {[
          entry.id,
          entry.key ?? 'no key',
          entry.plan,
          entry.operationId ?? 'no operation',
          `${timeOfDay(entry.at)} (${distance(Date.parse(entry.at), now)})`,
          took(entry.ms),
          entry.namespace === 'default' ? undefined : entry.namespace,
        ]
          .filter((fact) => fact !== undefined && fact !== null)
          .map((fact) => brief(String(fact), 80))
          .join(' · ')}
      </p>
      {entry.test !== undefined && (
        <p class="quiet facts">
          sent by the test{' '}
          <a href={hrefOf({ filter: `test:"${entry.test.replaceAll('"', '')}"` })}>
            {brief(entry.test, 200)}
          </a>
        </p>
      )}
      <p class={`why ${statusClass(entry.status)}`}>
        <b>{entry.status === 0 ? 'no status' : entry.status}</b> {brief(why(entry, now), 1000)}
      </p>
      <Around />
      <div class="acts">
        {entry.namespace === world.value && (
          <button
            type="button"
            class="act"
            onClick={() => {
              point.value = { id: entry.id, at: Date.parse(entry.at) }
            }}
          >
            See the state before it
          </button>
        )}
        {!entry.request.truncated && (
          <>
            <Copy text={asCurl(entry, ORIGIN)}>Copy as curl</Copy>
            <Copy text={asFetch(entry, ORIGIN)}>as fetch</Copy>
          </>
        )}
        <Copy text={asVerify(entry)}>as verify</Copy>
        <Copy text={JSON.stringify(asFault(entry))}>as fault rule</Copy>
        <Act
          place="detail"
          command={commandIn(entry.namespace, ...faultWords(asFault(entry)))}
          run={() => addFault(asFault(entry), entry.namespace)}
        >
          503 the next one like it
        </Act>
      </div>
      {entry.request.truncated && (
        <p class="hint">
          Its body was cut, or is not text: no copy of it, and nothing sent again, would be the same.
        </p>
      )}
      <Resend entry={entry} />
      <Refused place="detail" />
      <fieldset class="tabs" aria-label="What is shown">
        {(['response', 'request'] as const).map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={side.value === name}
            onClick={() => {
              side.value = name
            }}
          >
            {name === 'response' ? 'Response' : 'Request'}
          </button>
        ))}
        <span class="push" />
        <button
          type="button"
          aria-pressed={raw.value}
          onClick={() => {
            raw.value = !raw.value
          }}
        >
          Raw
        </button>
      </fieldset>
      <Message entry={entry} />
    </>
  )
}

const LEFT = new Intl.NumberFormat('en')

/** The quota of the key before and after the request. */
const Around = () =>
  around.value ? (
    <p class="quiet facts">
      {(['minute', 'day'] as const)
        .map((span) => {
          const { before, after } = around.value as NonNullable<typeof around.value>
          return `${span}: ${LEFT.format(before[span].remaining)} left before, ${LEFT.format(after[span].remaining)} after`
        })
        .join(' · ')}
    </p>
  ) : null

function Message({ entry }: { entry: Entry }) {
  const { headers, body } = entry[side.value]
  const now = worldNow.value
  const shown = raw.value ? body : (pretty(body) ?? body)
  return (
    <>
      <dl class="headers">
        {ordered(headers).map(([name, value]) => (
          <div key={name}>
            <dt>{brief(name, 200)}</dt>
            <dd>
              {brief(value, 2000)}
              <Instant name={name} value={value} now={now} />
            </dd>
          </div>
        ))}
      </dl>
      {body === '' ? (
        <p class="none">No body.</p>
      ) : (
        <div class="body">
          <button type="button" class="act small" onClick={() => void attempt('detail', () => copy(body))}>
            Copy body
          </button>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
          <pre tabIndex={0}>{visible(shown, { lines: true })}</pre>
        </div>
      )}
    </>
  )
}

/** Instants have their distance beside them. */
function Instant({ name, value, now }: { name: string; value: string; now: number }) {
  const at =
    name === 'x-ratelimit-reset'
      ? Number(value) * 1000
      : name === 'deprecation'
        ? Number(value.slice(1)) * 1000
        : name === 'sunset'
          ? Date.parse(value)
          : Number.NaN
  return !Number.isFinite(at) ? null : <span class="quiet"> {distance(at, now)}</span>
}

/** Deciding header fields come first, those of every response last. */
const FIRST =
  /^(x-ratelimit|retry-after|deprecation|sunset|link|location|www-authenticate|allow|authorization|prefer|idempotency|content-type)/
const LAST =
  /^(access-control|cache-control|connection|keep-alive|vary|date|content-length|accept-|sec-|user-agent|host)/
const rank = (name: string): number => (FIRST.test(name) ? 0 : LAST.test(name) ? 2 : 1)

const ordered = (headers: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(headers).sort(([a], [b]) => rank(a) - rank(b))
