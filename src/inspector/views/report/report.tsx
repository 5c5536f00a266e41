import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { findingOf, GATE_NAMES, GATES, violationsOf } from '../../../world/traffic/gates.ts'
import { ALL } from '../../data/address.ts'
import { answerOf, api } from '../../data/api.ts'
import { events, isLater, type RequestEvent } from '../../data/events.ts'
import { isError } from '../../data/filter.ts'
import { hrefOf, namespace, point, shown } from '../../data/location.ts'
import { paced } from '../../data/paced.ts'
import type { Report } from '../../data/types.ts'
import { Copy } from '../../parts/act.tsx'
import { Head, numbers } from '../../parts/head.tsx'
import { brief, count, grouped, visible } from '../../text/text.ts'
import { dateOf, timeOfDay } from '../../text/time.ts'
import { earlyText, findingsOf, keyOfEntry, type Tone } from '../requests/words.ts'
import { classOf } from '../timeline/plot.ts'
import './report.css'

const report = signal<Report | undefined>(undefined)

/** The report of all namespaces where all are shown; a point in time belongs to one namespace. */
const refresh = paced(250, async () => {
  const of = `${namespace.value} ${point.value}`
  const query = point.value === undefined ? { namespace: namespace.value } : shown()
  const found = await answerOf(api.GET('/report', { params: { query } }))
  if (of === `${namespace.value} ${point.value}`) report.value = found
})

/** The counts of the report; each number leads to its rows. */
export function ReportView() {
  const all = events.value
  const of = namespace.value
  const at = point.value
  useEffect(refresh, [all, of, at])
  const found = report.value
  if (!found) return <p class="none">Reading the report.</p>
  const requests = all.filter(
    (event): event is RequestEvent =>
      event.kind === 'request' && event.branch === undefined && !isLater(event),
  )
  return (
    <div class="sheet">
      <ByTest requests={requests} />
      <div class="report">
        <div>
          <Coverage report={found} />
          <EarlyRetries requests={requests} />
          <Repeated requests={requests} />
        </div>
        <Gates report={found} />
      </div>
    </div>
  )
}

const rows = (filter: string): string => hrefOf({ view: 'requests', id: undefined, filter })
const testFilter = (test: string | undefined): string =>
  test === undefined ? 'test:none' : `test:"${test.replaceAll('"', '')}"`

/** A link to the rows of something. */
const Rows = ({ amount, filter }: { amount: number; filter: string }) => (
  <a href={rows(filter)}>{amount.toLocaleString('en')}</a>
)

function ByTest({ requests }: { requests: readonly RequestEvent[] }) {
  const tests = [...grouped(requests, ({ entry }) => entry.test)]
  const [first, last] = [requests[0], requests.at(-1)]
  return (
    <section aria-label="By test">
      <h2>
        By test{' '}
        <span class="quiet small">
          {count(requests.length, 'request')}
          {first &&
            last &&
            `, ${dateOf(first.at)} ${timeOfDay(first.at, 0)} to ${dateOf(last.at)} ${timeOfDay(last.at, 0)} UTC`}
        </span>
      </h2>
      {requests.length > 0 && (
        <div class="wide" tabIndex={0}>
          <table class="t">
            <Head columns={['Test', numbers('Requests'), 'In their order', 'Findings', 'Keys']} />
            <tbody>
              {tests.map(([test, list]) => (
                <tr key={test ?? ''}>
                  <th scope="row">
                    <a href={rows(testFilter(test))}>{test === undefined ? 'no test' : brief(test, 80)}</a>
                  </th>
                  <td class="number data">{list.length}</td>
                  <td>
                    <Strip requests={list} />
                  </td>
                  <td class="findings">
                    <TestFindings requests={list} test={test} />
                  </td>
                  <td class="data quiet">
                    <Keys requests={list} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function Keys({ requests }: { requests: readonly RequestEvent[] }) {
  const [first = '', ...more] = new Set(requests.map(({ entry }) => keyOfEntry(entry)))
  return (
    <>
      {visible(first)}
      {more.length > 0 && ` and ${more.length} more`}
    </>
  )
}

const FILL = { bad: 'bad-bar', warn: 'warn-bar', good: 'bar' } as const
const STRIP = 220

/** A stroke for each request; a wrong one is coloured and taller. */
function Strip({ requests }: { requests: readonly RequestEvent[] }) {
  const width = Math.min(4, STRIP / requests.length)
  const shown = requests.slice(-STRIP * 2)
  return (
    <svg width={STRIP} height={16} aria-hidden="true">
      {shown.map(({ entry, name }, index) => {
        const isWrong = isError(entry)
        return (
          <rect
            key={name}
            x={index * width}
            y={isWrong ? 1 : 5}
            width={Math.max(0.5, width - (width > 2 ? 1 : 0))}
            height={isWrong ? 14 : 10}
            fill={`var(--${FILL[classOf(entry.status)]})`}
          />
        )
      })}
    </svg>
  )
}

const TONE: Readonly<Record<Tone, string>> = { plain: '', warn: 'warn', bad: 'bad' }

/** The findings of a test, each kind once. */
function TestFindings({ requests, test }: { requests: readonly RequestEvent[]; test: string | undefined }) {
  const found = new Map<string, { text: string; tone: Tone; ids: string[] }>()
  for (const { entry } of requests)
    for (const { kind, text, tone } of findingsOf(entry)) {
      const known = found.get(kind)
      if (known) known.ids.push(entry.id)
      else found.set(kind, { text, tone, ids: [entry.id] })
    }
  if (found.size === 0) return <span class="quiet">none</span>
  return (
    <>
      {[...found].map(([kind, { text, tone, ids }], index) => (
        <span key={kind}>
          {index > 0 && ', '}
          <a
            class={TONE[tone]}
            href={
              ids.length === 1
                ? hrefOf({ view: 'requests', id: ids[0], filter: undefined })
                : rows(`${testFilter(test)} finding:any`)
            }
          >
            {kind === 'early' && ids.length > 1
              ? `${ids.length} early retries`
              : `${brief(text, 60)}${ids.length > 1 ? ` × ${ids.length}` : ''}`}
          </a>
        </span>
      ))}
    </>
  )
}

function Coverage({ report }: { report: Report }) {
  const names = [...new Set([...Object.keys(report.coverage), ...report.uncovered])]
  const statuses = [...new Set(Object.values(report.coverage).flatMap((row) => Object.keys(row)))].sort()
  const sumOf = (name: string) =>
    Object.values(report.coverage[name] ?? {}).reduce((sum, each) => sum + each, 0)
  const rest = report.requests - names.reduce((sum, name) => sum + sumOf(name), 0)
  return (
    <section aria-label="By operation and status">
      <h2>By operation and status</h2>
      <div class="wide" tabIndex={0}>
        <table class="cells data">
          <Head
            columns={[
              { name: 'Operation', unseen: true },
              ...statuses.map((status) => (status === '0' ? 'none' : status)),
              'all',
            ]}
          />
          <tbody>
            {names.map((name) => (
              <tr key={name}>
                <th scope="row">{brief(name, 60)}</th>
                {report.coverage[name] === undefined ? (
                  <td class="never bad" colSpan={Math.max(1, statuses.length)}>
                    never called
                  </td>
                ) : (
                  statuses.map((status) => {
                    const amount = report.coverage[name]?.[status]
                    const filter = `operation:${name} status:${status === '0' ? 'none' : status}`
                    const share = (amount ?? 0) / sumOf(name)
                    return (
                      <td
                        key={status}
                        class={amount ? `${classOf(Number(status))} tint${Math.ceil(share * 4)}` : ''}
                      >
                        {amount !== undefined && <Rows amount={amount} filter={filter} />}
                      </td>
                    )
                  })
                )}
                <td class="sum">{sumOf(name).toLocaleString('en')}</td>
              </tr>
            ))}
            <tr>
              <th scope="row" class="quiet">
                no operation
              </th>
              <td colSpan={Math.max(1, statuses.length)} />
              <td class="sum quiet">{rest > 0 ? <Rows amount={rest} filter="operation:none" /> : 0}</td>
            </tr>
            <tr>
              <th scope="row">all</th>
              {statuses.map((status) => (
                <td key={status} class="sum quiet">
                  {names
                    .reduce((sum, name) => sum + (report.coverage[name]?.[status] ?? 0), 0)
                    .toLocaleString('en')}
                </td>
              ))}
              <td class="sum">{report.requests.toLocaleString('en')}</td>
            </tr>
          </tbody>
        </table>
      </div>
      <p class="quiet small">A tint is the share of the operation’s requests. A number leads to its rows.</p>
    </section>
  )
}

function Gates({ report }: { report: Report }) {
  const holding = GATE_NAMES.filter((name) => violationsOf(report, name) === 0)
  const fails = holding.length > 0 ? `--fail-on ${holding.join(',')} ` : ''
  const line = `petstore-sandbox exec ${fails}-- npm test`
  return (
    <section aria-label="Gates">
      <h2>
        Gates of <span class="data">exec --fail-on</span>
      </h2>
      <table class="t gates">
        <Head
          columns={[
            'Gate',
            numbers('Found'),
            `Result ${point.value === undefined ? 'now' : 'at that point'}`,
          ]}
        />
        <tbody>
          {GATE_NAMES.map((name) => {
            const amount = violationsOf(report, name)
            const finding = findingOf(name)
            return (
              <tr key={name} title={GATES[name].title}>
                <th scope="row" class="data">
                  {name}
                </th>
                <td class="number data">
                  {amount > 0 && finding ? <Rows amount={amount} filter={`finding:${finding}`} /> : amount}
                </td>
                <td class={amount === 0 ? 'quiet' : 'bad'}>{amount === 0 ? 'holds' : 'fails'}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
      <p class="snippet">
        <code>{line}</code> <Copy text={line} class="primary" />
      </p>
      <p class="quiet small">The gates that hold. Forced answers and rules are not counted.</p>
    </section>
  )
}

const BAND = 250

/** By key: how much too early, between the refusal and the instant allowed. */
function EarlyRetries({ requests }: { requests: readonly RequestEvent[] }) {
  const early = requests.flatMap((event) =>
    event.entry.findings.flatMap(({ earlyMs, allowedAt }) =>
      earlyMs === undefined || !allowedAt
        ? []
        : [{ key: keyOfEntry(event.entry), at: event.at, earlyMs, allowed: Date.parse(allowedAt) }],
    ),
  )
  if (early.length === 0) return null
  return (
    <section aria-label="Early retries">
      <h2>Early retries</h2>
      <div class="wide" tabIndex={0}>
        <table class="t">
          <Head columns={['Key', numbers('Retries'), 'Too early by', 'Sent, before the instant allowed']} />
          <tbody>
            {[...grouped(early, ({ key }) => key)].map(([key, list]) => {
              const lengths = list.map(({ earlyMs }) => earlyMs)
              const longest = Math.max(...lengths, 1)
              const last = list.at(-1)
              return (
                <tr key={key}>
                  <th scope="row" class="data">
                    {visible(key)}
                  </th>
                  <td class="number">
                    <Rows amount={list.length} filter={`finding:early-retry key:"${key}"`} />
                  </td>
                  <td>{earlyText(Math.min(...lengths), Math.max(...lengths)).replace(' too early', '')}</td>
                  <td class="dots">
                    <svg width={BAND + 8} height={18} aria-hidden="true">
                      <path d={`M4 9.5H${BAND + 4}M${BAND + 3.5} 3v13`} />
                      {list.slice(-200).map(({ earlyMs, at }, index) => (
                        <circle
                          key={`${at} ${index}`}
                          cx={4 + BAND * (1 - earlyMs / longest)}
                          cy={9.5}
                          r={3.5}
                        />
                      ))}
                    </svg>
                    <span class="quiet small">{last && timeOfDay(last.allowed, 0)}</span>
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** Duplicates, and inputs that were ignored. */
function Repeated({ requests }: { requests: readonly RequestEvent[] }) {
  const found = requests.flatMap(({ entry }) =>
    entry.findings.flatMap(({ kind, text, of, inputs = [] }) =>
      kind === 'duplicate' || kind === 'ignored-input' ? [{ entry, kind, text, of, inputs }] : [],
    ),
  )
  if (found.length === 0) return null
  const of = (entry: RequestEvent['entry']) => (namespace.value === ALL ? entry.namespace : undefined)
  return (
    <section aria-label="Duplicates and ignored input">
      <h2>Duplicates and ignored input</h2>
      <table class="t">
        <tbody>
          {found.slice(-20).map(({ entry, kind, text, of: earlier, inputs }) => (
            <tr key={`${entry.namespace} ${entry.id} ${kind}`}>
              <td class="long">{kind === 'duplicate' ? 'possible duplicate' : brief(text, 120)}</td>
              <td class="data">
                {earlier && (
                  <>
                    <a href={hrefOf({ view: 'requests', id: earlier, of: of(entry), filter: undefined })}>
                      {earlier}
                    </a>{' '}
                    and{' '}
                  </>
                )}
                <a href={hrefOf({ view: 'requests', id: entry.id, of: of(entry), filter: undefined })}>
                  {entry.id}
                </a>
              </td>
              <td class="quiet">{inputs.length > 0 ? entry.operationId : visible(keyOfEntry(entry))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
