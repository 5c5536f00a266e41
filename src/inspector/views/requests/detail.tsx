import { signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { plural } from '../../../text/plural.ts'
import { targetOf } from '../../../world/traffic/address.ts'
import { FINDINGS } from '../../../world/traffic/report.ts'
import { canRewind, rewind } from '../../data/actions.ts'
import { answerOf, api, CALLER, hasState, ROOT } from '../../data/api.ts'
import { type CallEvent, callText, type RequestEvent } from '../../data/event.ts'
import { goneReason, loaded, reach, requests } from '../../data/events.ts'
import { testFilter } from '../../data/filter.ts'
import { addressOf, selected } from '../../data/listed.ts'
import { command, commandIn, go, hrefOf, route, world } from '../../data/location.ts'
import { worldNow } from '../../data/state.ts'
import type { Entry } from '../../data/types.ts'
import { ActionButton, Button, copy, Menu, Place, read, Snippet, Tabs } from '../../parts/buttons.tsx'
import { pretty } from '../../text/json.ts'
import { amount, brief, dateOf, dayOf, distance, ordinal, timeOfDay, took, visible } from '../../text/text.ts'
import { classOf } from '../timeline/plot.ts'
import { Edit, ForkMenu, SendAgain } from './again.tsx'
import { asFault, asVerify, hasVariable, SENDERS } from './copy-as.ts'
import { close, linked } from './list.tsx'
import { changesOf, keyOfEntry, type NamedValues, why } from './words.ts'

/** The selected event: first the reason, then actions, then the messages. */
export function Detail() {
  const { id } = route.value
  const event = selected.value
  if (id === undefined) return null
  return (
    <section class="detail side column" aria-label={event?.kind === 'call' ? 'Control call' : 'Request'}>
      <Button class="text small" run={close}>
        Close <kbd>Esc</kbd>
      </Button>
      <Place name="detail">
        {event?.kind === 'request' && <ShownRequest key={event.name} event={event} />}
        {event?.kind === 'call' && <ShownCall call={event} />}
        {!event && loaded.value && (
          <p class="none">
            {brief(id, 40)} is not in the {reach.value.has(id) ? 'journal' : 'history'}
            {requests.value[0] && ` (from ${requests.value[0].id})`}
            {goneReason.value && `: ${brief(goneReason.value)}`}.{' '}
            {reach.value.has(id) && <a href={hrefOf({ at: id })}>See the state before it</a>}
          </p>
        )}
      </Place>
    </section>
  )
}

const instant = (at: number): string => `${dayOf(at)} ${timeOfDay(at)}`

function ShownCall({ call }: { call: CallEvent }) {
  const { id, at, before, branch, line, caller } = call
  return (
    <>
      <h2>◆ {brief(callText(call))}</h2>
      <p class="quiet facts small">
        <code>{id}</code> · {instant(at)} UTC
        {before !== at && ` · before ${instant(before)}`}
        {caller && ` · by ${caller === CALLER ? 'this page' : visible(caller)}`}
        {branch && ' · undone'}
      </p>
      {line && <Snippet text={command(...line)} />}
      {canRewind(call) && (
        <div class="actions">
          <ActionButton class="primary" text="Rewind to before" {...rewind(id)} />
          <a class="b" href={hrefOf({ at: id })} data-command={command('diff', `at:${id}:before`, 'now')}>
            See before
          </a>
        </div>
      )}
    </>
  )
}

function ShownRequest({ event }: { event: RequestEvent }) {
  const { entry } = event
  const { id, namespace, branch, method, operationId, status, test } = entry
  const isEdited = useSignal(false)
  return (
    <>
      <h2>
        {brief(method, 20)} {brief(targetOf(entry), 600)}
        {branch && [' ', <kbd class="mark">undone</kbd>]}
      </h2>
      <p class="quiet facts small">
        <code>{id}</code> · {brief(operationId ?? 'no operation', 60)} · {visible(keyOfEntry(entry))} ·{' '}
        <span>{instant(event.at)} UTC</span>
        {'\u00a0· '}
        <span>{took(entry.ms)}</span>
        {namespace !== world.value && ` · ${namespace}`}
        {test !== undefined && (
          <>
            <br />
            test{' '}
            <a
              href={hrefOf({ filter: testFilter(test) })}
              data-command={command('requests', '--search', test)}
            >
              {brief(test, 200)}
            </a>
          </>
        )}
      </p>
      <p class={`why ${classOf(status)}`}>
        <b class={classOf(status)}>{status || 'none'}</b>{' '}
        {linked(brief(why(entry, worldNow.value), 1000), entry)}
      </p>
      <Place name="request">
        <div class="actions">
          {canRewind(event) && (
            <ActionButton class="primary" text="Rewind to before" always {...rewind(id)} />
          )}
          {canRewind(event) && <ForkMenu from={namespace} at={id} />}
          {hasState.value && <SendAgain entry={entry} edit={() => (isEdited.value = true)} />}
          <CopyMenu event={event} />
        </div>
        {hasVariable(entry) && (
          <p class="quiet small">The key is masked: a copied request has $KEY. Set it first.</p>
        )}
      </Place>
      {isEdited.value && <Edit entry={entry} close={() => (isEdited.value = false)} />}
      <Fields fields={changesOf(entry)} />
      <Message entry={entry} />
      <Siblings event={event} />
    </>
  )
}

/** The formats to copy. The press that opens the menu copies the first one. */
function CopyMenu({ event }: { event: RequestEvent }) {
  const { entry } = event
  const isCut = entry.request.truncated
  const others = [
    ['verify', asVerify(entry)],
    ['fault rule', JSON.stringify(asFault(entry))],
    ['link', new URL(hrefOf(addressOf(event)), location.href).href],
  ] as const
  const senders = Object.entries(SENDERS).map(([name, text]) => [name, text(entry, ROOT)] as const)
  const texts: NamedValues = isCut ? others : [...senders, ...others]
  const [name = '', text = ''] = texts[0] ?? []
  const copyFirst = () => void read('detail', () => copy(text))
  return (
    <Menu text="Copy" aria-label={`Copy as ${name}, or as …`} data-command={text} onOpen={copyFirst}>
      <div class="choices">
        <p class="quiet small">Copied as {name}. Copy as another:</p>
        {texts.map(([name, text]) => (
          <Button key={name} class="text" text={name} data-done command={text} run={() => copy(text)} />
        ))}
        {isCut && <p class="quiet small">Its body was cut or is not text: a copy would differ.</p>}
      </div>
    </Menu>
  )
}

/** Beside each instant is its distance from the time that the page shows. */
const Fields = ({ fields }: { fields: NamedValues }) =>
  fields.length > 0 && (
    <dl class="pairs">
      {fields.map(([name, value]) => (
        <div key={name}>
          <dt>{brief(name, 200)}</dt>
          <dd>
            {brief(value, 2000)} <span class="quiet">{distanceOf(name, value, worldNow.value)}</span>
          </dd>
        </div>
      ))}
    </dl>
  )

/** Header fields whose values are instants. */
const INSTANTS: Readonly<Record<string, (value: string) => number>> = {
  'x-ratelimit-reset': (value) => Number(value) * 1000,
  deprecation: (value) => Number(value.slice(1)) * 1000,
  sunset: Date.parse,
}

function distanceOf(name: string, value: string, now: number): string {
  const at = INSTANTS[name]?.(value) ?? Number.NaN
  // A service behind the proxy may send an invalid date.
  if (!(Math.abs(at) < 8.64e15)) return ''
  // The value of Sunset is a date in words.
  if (name === 'sunset') return distance(at, now)
  const date = dateOf(at) === dateOf(now) ? '' : `${dateOf(at)} `
  return `${date}${timeOfDay(at, 0)}, ${distance(at, now)}`
}

const raw = signal(false)

function Message({ entry }: { entry: Entry }) {
  const command = commandIn(entry.namespace, 'limits', '--at', entry.id, '--side', 'before')
  const before = { name: 'before', title: 'State before', command } as const
  const tabs = [
    { name: 'response', title: 'Response' },
    { name: 'request', title: 'Request' },
    // The id of an undone request may be that of a present one.
    ...(hasState.value && !entry.branch ? [before] : []),
  ] as const
  const tab = tabs.find(({ name }) => name === route.value.tab)?.name ?? 'response'
  const show = (name: string) => go({ tab: name === 'response' ? undefined : name }, true)
  return (
    <>
      <Tabs tabs={tabs} shown={tab} show={show}>
        {tab !== 'before' && (
          <Button text="Raw" aria-pressed={raw.value} run={() => (raw.value = !raw.value)} />
        )}
      </Tabs>
      {tab === 'before' ? <Before entry={entry} /> : <Exchanged message={entry[tab]} />}
    </>
  )
}

/** The first of these header fields, by how their names begin, are always shown; the others are folded. */
const DECIDING = [
  'retry-after',
  'x-ratelimit-',
  'deprecation',
  'sunset',
  'location',
  'allow',
  'content-type',
  'authorization',
  'prefer',
  'idempotency-key',
]
const MAX_DECIDING = 5

function Exchanged({ message: { headers, body } }: { message: Entry['request'] }) {
  const all = Object.entries(headers)
  const known = DECIDING.flatMap((start) => all.filter(([name]) => name.startsWith(start)))
  const deciding = known.slice(0, MAX_DECIDING)
  const rest = all.filter((each) => !deciding.includes(each))
  return (
    <>
      {body === '' ? (
        <p class="quiet">No body.</p>
      ) : (
        <pre tabIndex={0} data-command={brief(body, 2000)}>
          {visible((!raw.value && pretty(body)) || body, { lines: true })}
        </pre>
      )}
      <Fields fields={deciding} />
      {rest.length > 0 && (
        <details>
          <summary class="quiet">{`${rest.length}${deciding.length > 0 ? ' more' : ''} headers`}</summary>
          <Fields fields={rest} />
        </details>
      )}
    </>
  )
}

/** The state before the request, read when it is opened. */
function Before({ entry: { id, namespace } }: { entry: Entry }) {
  const rows = useSignal<NamedValues>([])
  useEffect(() => {
    void read('detail', async () => {
      const params = { query: { at: id, side: 'before' as const, namespace } }
      const [clock, faults, report] = await Promise.all([
        answerOf(api.GET('/clock', { params })),
        answerOf(api.GET('/faults', { params })),
        answerOf(api.GET('/report', { params })),
      ])
      rows.value = [
        ['clock', `${clock.now}${clock.frozen ? ', frozen' : ''}`],
        ['rules', faults.map((rule) => rule.id).join(', ') || 'none'],
        ['requests', amount(report.requests)],
      ]
    })
  }, [])
  return (
    <>
      <Fields fields={rows.value} />
      <p>
        <a class="b" href={hrefOf({ namespace, at: id })}>
          See it in all views
        </a>
      </p>
    </>
  )
}

/** The other requests with its last finding. */
function Siblings({ event }: { event: RequestEvent }) {
  const kind = event.entry.findings.at(-1)?.kind
  const key = keyOfEntry(event.entry)
  const all = requests.value.filter(
    ({ entry }) => keyOfEntry(entry) === key && entry.findings.some((each) => each.kind === kind),
  )
  const at = all.findIndex(({ name }) => name === event.name)
  if (kind === undefined || at < 0 || all.length < 2) return null
  const [, one, several] = FINDINGS[kind]
  const link = (to: RequestEvent | undefined, text: string) =>
    to && <a href={hrefOf(addressOf(to))}>{text}</a>
  return (
    <p class="siblings quiet small">
      {ordinal(at + 1)} of {plural(all.length, one, several)} of {visible(key)}{' '}
      {link(all[at - 1], 'previous')} {link(all[at + 1], 'next')}
    </p>
  )
}
