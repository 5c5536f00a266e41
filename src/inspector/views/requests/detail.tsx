import { signal } from '@preact/signals'
import { rewind } from '../../data/acts.ts'
import { API_URL, answerOf, api } from '../../data/api.ts'
import {
  addressOf,
  type CallEvent,
  gone,
  loaded,
  type RequestEvent,
  requests,
  selected,
} from '../../data/events.ts'
import { command, go, hrefOf, route, world } from '../../data/location.ts'
import { worldNow } from '../../data/state.ts'
import type { Entry } from '../../data/types.ts'
import { Act, attempt, Copy, copy, Press, Refused, Tabs } from '../../parts/act.tsx'
import { Menu } from '../../parts/menu.tsx'
import { pretty } from '../../text/json.ts'
import { amount, UNLIMITED } from '../../text/quota.ts'
import { brief, ordinal, visible } from '../../text/text.ts'
import { dayOf, distance, timeOfDay, took } from '../../text/time.ts'
import { classOf } from '../timeline/plot.ts'
import {
  asCurl,
  asCurlForFish,
  asFault,
  asFetch,
  asPowerShell,
  asVerify,
  hasVariable,
  targetOf,
} from './copy-as.ts'
import { ForkMenu } from './fork.tsx'
import { Linked } from './list.tsx'
import { Edit, SendAgain } from './resend.tsx'
import { keyOfEntry, why } from './words.ts'
import './detail.css'

/** One request: first why it was answered so, then what can be done with it, then what went over the wire. */
export function Detail() {
  const { id } = route.value
  if (id === undefined) return null
  const event = selected.value
  return (
    <section class="detail" aria-label={event?.kind === 'call' ? 'Control call' : 'Request'}>
      <p class="ways">
        <a class="b text wayback" href={hrefOf({ id: undefined, branch: undefined })}>
          ‹ Requests
        </a>
        <a
          class="b text small esc"
          href={hrefOf({ id: undefined, branch: undefined })}
          aria-label="Esc, close"
        >
          Esc
        </a>
      </p>
      {event?.kind === 'request' ? (
        <Shown key={event.name} event={event} />
      ) : event ? (
        <ShownCall key={event.name} call={event} />
      ) : (
        <Missing id={id} />
      )}
    </section>
  )
}

function Missing({ id }: { id: string }) {
  if (!loaded.value) return null
  const first = requests.value[0]?.id
  return (
    <p class="none">
      {brief(id, 40)} is not among what is remembered{first && ` (from ${first})`}
      {gone.value && `: ${brief(gone.value)}`}.
    </p>
  )
}

function ShownCall({ call }: { call: CallEvent }) {
  const line = call.line && command(...call.line)
  return (
    <>
      <h2>◆ {brief(call.what)}</h2>
      <p class="quiet facts">
        <code>{call.id}</code> · {dayOf(call.at)} {timeOfDay(call.at)} UTC
        {call.before !== undefined &&
          call.before !== call.at &&
          ` · before ${dayOf(call.before)} ${timeOfDay(call.before)}`}
        {call.branch && ' · undone'}
      </p>
      {line && (
        <p class="snippet">
          <code>{line}</code> <Copy text={line} />
        </p>
      )}
      {call.undid === undefined && !call.branch && (
        <div class="acts">
          <Act
            class="primary"
            place="detail"
            command={command('rewind', call.id)}
            run={() => rewind(call.id)}
          >
            Rewind to before
          </Act>
          <a
            class="b"
            href={hrefOf({ at: call.id })}
            data-command={command('diff', `at:${call.id}:before`, 'now')}
          >
            See before
          </a>
        </div>
      )}
      <Refused place="detail" />
    </>
  )
}

function Shown({ event }: { event: RequestEvent }) {
  const { entry } = event
  const now = worldNow.value
  const isHere = entry.namespace === world.value && entry.branch === undefined
  return (
    <>
      <h2>
        {brief(entry.method, 20)} {brief(targetOf(entry), 600)}
        {entry.branch && <span class="mark">undone</span>}
      </h2>
      <p class="quiet facts">
        <code>{entry.id}</code> · {brief(entry.operationId ?? 'no operation', 60)} ·{' '}
        {visible(keyOfEntry(entry))} · {dayOf(event.at)} {timeOfDay(event.at)} UTC · {took(entry.ms)}
        {entry.namespace !== world.value && ` · ${entry.namespace}`}
        {entry.test !== undefined && (
          <>
            <br />
            test{' '}
            <a
              href={hrefOf({ filter: `test:"${entry.test.replaceAll('"', '')}"` })}
              data-command={command('requests', '--q', entry.test)}
            >
              {brief(entry.test, 200)}
            </a>
          </>
        )}
      </p>
      <p class={`why ${classOf(entry.status)}`}>
        <b>{entry.status === 0 ? 'none' : entry.status}</b> <Linked text={brief(why(entry, now), 1000)} />
      </p>
      <div class="acts">
        {isHere && (
          <>
            <Act
              class="primary"
              place="detail"
              always
              command={command('rewind', entry.id)}
              run={() => rewind(entry.id)}
            >
              Rewind to before
            </Act>
            <ForkMenu from={entry.namespace} at={entry.id} />
          </>
        )}
        <SendAgain entry={entry} />
        <CopyMenu entry={entry} />
      </div>
      <Edit entry={entry} />
      <Refused place="detail" />
      <Changes entry={entry} />
      <Message event={event} now={now} />
      <Siblings event={event} />
    </>
  )
}

/** What can be pasted elsewhere. */
function CopyMenu({ entry }: { entry: Entry }) {
  const origin = API_URL.replace(/\/v1$/, '')
  const whole: readonly (readonly [string, string])[] = entry.request.truncated
    ? []
    : [
        ['curl for bash and zsh', asCurl(entry, origin)],
        ['curl for fish', asCurlForFish(entry, origin)],
        ['PowerShell', asPowerShell(entry, origin)],
        ['fetch', asFetch(entry, origin)],
      ]
  const texts = [
    ...whole,
    ['verify', asVerify(entry)] as const,
    ['fault rule', JSON.stringify(asFault(entry))] as const,
    ['link', new URL(hrefOf(addressOf(selected.value as RequestEvent)), location.href).href] as const,
  ]
  return (
    <Menu label="Copy">
      <div class="choices">
        {texts.map(([name, text]) => (
          <Press key={name} class="text" data-done command={text} place="detail" run={() => copy(text)}>
            {name}
          </Press>
        ))}
        {entry.request.truncated && (
          <p class="hint">Its body was cut or is not text: no copy would be the same.</p>
        )}
        {hasVariable(entry) && (
          <p class="hint">The key is $KEY: the sandbox shows it masked. Set it first.</p>
        )}
      </div>
    </Menu>
  )
}

/** What it changed, before and after. */
function Changes({ entry: { quota, changed, effect } }: { entry: Entry }) {
  const rows: [string, string, string][] = []
  for (const name of ['minute', 'day'] as const) {
    if (!quota || quota.after[name].limit === UNLIMITED) continue
    const [before, after] = [quota.before[name], quota.after[name]]
    const note = before.remaining === after.remaining ? ', not counted' : ''
    rows.push([
      name,
      `${amount(before.remaining)} → ${amount(after.remaining)}`,
      `of ${amount(after.limit)}${note}`,
    ])
  }
  if (changed)
    rows.push([
      'pets',
      `${amount(changed.pets.before)} → ${amount(changed.pets.after)}`,
      `${changed.change} ${changed.id}`,
    ])
  if (effect) rows.push(['rule', visible(effect.rule), effect.carriedOut ? 'carried out' : 'not carried out'])
  return rows.length === 0 ? null : (
    <table class="changes">
      <tbody>
        {rows.map(([name, what, note]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{what}</td>
            <td class="quiet">{note}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const raw = signal(false)

function Message({ event: { entry }, now }: { event: RequestEvent; now: number }) {
  const tabs = [
    { name: 'response', title: 'Response' },
    { name: 'request', title: 'Request' },
    {
      name: 'before',
      title: 'State before',
      command: command('limits', '--at', entry.id, '--side', 'before'),
    },
  ]
  const tab = tabs.find(({ name }) => name === route.value.tab)?.name ?? 'response'
  return (
    <>
      <Tabs
        tabs={tabs}
        shown={tab}
        show={(name) => go({ tab: name === 'response' ? undefined : name }, true)}
      >
        {tab !== 'before' && (
          <Press aria-pressed={raw.value} run={() => (raw.value = !raw.value)}>
            Raw
          </Press>
        )}
      </Tabs>
      {tab === 'before' ? (
        <Before entry={entry} />
      ) : (
        <Exchanged message={tab === 'request' ? entry.request : entry.response} now={now} />
      )}
    </>
  )
}

/** Header fields that decide; the others are folded. */
const DECIDING =
  /^(retry-after|x-ratelimit-.*|deprecation|sunset|location|allow|content-type|authorization|prefer|idempotency-key)$/
const MOST_DECIDING = 5

function Exchanged({ message: { headers, body }, now }: { message: Entry['request']; now: number }) {
  const all = Object.entries(headers)
  const deciding = all.filter(([name]) => DECIDING.test(name)).slice(0, MOST_DECIDING)
  const rest = all.filter((each) => !deciding.includes(each))
  const shown = raw.value ? body : (pretty(body) ?? body)
  return (
    <>
      {body === '' ? (
        <p class="quiet">No body.</p>
      ) : (
        <pre class="body" tabIndex={0} data-command={brief(body, 2000)}>
          {visible(shown, { lines: true })}
        </pre>
      )}
      <Fields fields={deciding} now={now} />
      {rest.length > 0 && (
        <details>
          <summary class="quiet">
            {rest.length} {deciding.length > 0 ? 'more headers' : 'headers'}
          </summary>
          <Fields fields={rest} now={now} />
        </details>
      )}
    </>
  )
}

const Fields = ({ fields, now }: { fields: readonly (readonly [string, string])[]; now: number }) => (
  <dl class="pairs">
    {fields.map(([name, value]) => (
      <div key={name}>
        <dt>{brief(name, 200)}</dt>
        <dd>
          {brief(value, 2000)}
          <Instant name={name} value={value} now={now} />
        </dd>
      </div>
    ))}
  </dl>
)

/** Instants have their clock time and their distance beside them. */
function Instant({ name, value, now }: { name: string; value: string; now: number }) {
  const at =
    name === 'x-ratelimit-reset'
      ? Number(value) * 1000
      : name === 'deprecation'
        ? Number(value.slice(1)) * 1000
        : name === 'sunset'
          ? Date.parse(value)
          : Number.NaN
  // What a proxied service sends may be no date.
  if (!(Math.abs(at) < 8.64e15)) return null
  return (
    <span class="quiet">
      {' '}
      {timeOfDay(at, 0)}, {distance(at, now)}
    </span>
  )
}

const before = signal<{ readonly id: string; readonly rows: readonly (readonly [string, string])[] }>({
  id: '',
  rows: [],
})

/** The state at the point before it, read when it is looked at. */
function Before({ entry }: { entry: Entry }) {
  const { id, namespace } = entry
  if (entry.branch) return <p class="quiet">It was undone. Undo the rewind to see the state before it.</p>
  if (before.value.id !== id) {
    before.value = { id, rows: [] }
    void attempt('detail', async () => {
      const params = { query: { at: id, side: 'before' as const, namespace } }
      const [clock, faults, report] = await Promise.all([
        answerOf(api.GET('/clock', { params })),
        answerOf(api.GET('/faults', { params })),
        answerOf(api.GET('/report', { params })),
      ])
      const rows = [
        ['clock', `${clock.now}${clock.frozen ? ', frozen' : ''}`],
        ['rules', faults.length === 0 ? 'none' : faults.map((rule) => rule.id).join(', ')],
        ['requests', amount(report.requests)],
      ] as const
      if (before.peek().id === id) before.value = { id, rows }
    })
  }
  return (
    <>
      <Fields fields={before.value.rows} now={0} />
      <p>
        <a class="b" href={hrefOf({ at: id })}>
          See it in all views
        </a>
      </p>
    </>
  )
}

/** The others with its first finding. */
function Siblings({ event }: { event: RequestEvent }) {
  const kind = event.entry.findings.at(-1)?.kind
  if (kind === undefined) return null
  const key = keyOfEntry(event.entry)
  const all = requests.value.filter(
    ({ entry }) => keyOfEntry(entry) === key && entry.findings.some((each) => each.kind === kind),
  )
  const at = all.findIndex(({ name }) => name === event.name)
  if (at < 0 || all.length < 2) return null
  const [previous, next] = [all[at - 1], all[at + 1]]
  return (
    <p class="siblings quiet">
      {ordinal(at + 1)} of {all.length} with {kind.replaceAll('-', ' ')} of {visible(key)}{' '}
      {previous && <a href={hrefOf(addressOf(previous))}>previous</a>}{' '}
      {next && <a href={hrefOf(addressOf(next))}>next</a>}
    </p>
  )
}
