import { effect, signal } from '@preact/signals'
import { findingOf, GATE_NAMES, GATES, violationsOf } from '../../../world/traffic/gates.ts'
import { answerOf, api } from '../../data/api.ts'
import { version } from '../../data/journal.ts'
import { hrefOf, namespace, route } from '../../data/location.ts'
import { point, shown } from '../../data/point.ts'
import { ALL } from '../../data/route.ts'
import type { Report } from '../../data/types.ts'
import { Copy } from '../../parts/act.tsx'
import { Level } from '../../parts/gauge.tsx'
import { Scroll } from '../../parts/scroll.tsx'
import { brief, count } from '../../text/text.ts'
import { duration, timeOfDay } from '../../text/time.ts'
import { statusClass } from '../requests/list.tsx'

const report = signal<Report | undefined>(undefined)
let isDue = false

/** The report of all namespaces where all are shown; a point in time belongs to one namespace. */
async function refresh(): Promise<void> {
  const then = point.peek()
  const query = then ? shown() : { namespace: namespace.peek() }
  const found = await answerOf(api.GET('/report', { params: { query } }))
  if (point.peek() === then) report.value = found
}

effect(() => {
  version.value
  namespace.value
  point.value
  if (route.value.view !== 'report' || isDue) return
  isDue = true
  setTimeout(() => {
    isDue = false
    refresh().catch(() => {})
  }, 250)
})

/** The counts of the report; each number leads to its requests. */
export function ReportView() {
  const found = report.value
  if (!found) return <p class="none">Reading the report.</p>
  return (
    <div class="sheet">
      <div class="two-columns">
        <Coverage report={found} />
        <Gates report={found} />
        <EarlyRetries report={found} />
        <Ignored report={found} />
      </div>
    </div>
  )
}

function Coverage({ report }: { report: Report }) {
  const operations = [
    ...Object.keys(report.coverage),
    ...report.uncovered.filter((name) => !report.coverage[name]),
  ]
  const statuses = [...new Set(Object.values(report.coverage).flatMap((row) => Object.keys(row)))].sort()
  return (
    <section>
      <h2>{count(report.requests, 'request')} by operation and status</h2>
      <Scroll label="Operations by status">
        <table>
          <thead>
            <tr>
              <th scope="col">Operation</th>
              {statuses.map((status) => (
                <th key={status} scope="col" class="number">
                  <span class={statusClass(Number(status))}>{status === '0' ? 'none' : status}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {operations.map((name) => (
              <tr key={name}>
                <th scope="row" class="data">
                  {brief(name, 60)}
                </th>
                {report.coverage[name] === undefined ? (
                  <td class="words never" colSpan={Math.max(1, statuses.length)}>
                    never called
                  </td>
                ) : (
                  statuses.map((status) => (
                    <td key={status} class="number">
                      <Cell operation={name} status={status} amount={report.coverage[name]?.[status]} />
                    </td>
                  ))
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  )
}

const Cell = ({
  operation,
  status,
  amount,
}: {
  operation: string
  status: string
  amount: number | undefined
}) =>
  amount === undefined ? null : (
    <a href={hrefOf({ view: 'requests', filter: `operation:${operation} status:${status}` })}>
      {amount.toLocaleString('en')}
    </a>
  )

function Gates({ report }: { report: Report }) {
  const holding = GATE_NAMES.filter((name) => violationsOf(report, name) === 0)
  const line = [
    'petstore-sandbox exec',
    holding.length > 0 ? `--fail-on ${holding.join(',')}` : '',
    '-- npm test',
  ]
    .filter(Boolean)
    .join(' ')
  return (
    <section>
      <h2>Which gates would hold {point.value ? 'at that point' : 'now'}</h2>
      <Scroll label="Gates">
        <table>
          <thead>
            <tr>
              <th scope="col">Gate</th>
              <th scope="col" class="counts">
                What it counts
              </th>
              <th scope="col" class="number">
                Found
              </th>
              <th scope="col">Result</th>
            </tr>
          </thead>
          <tbody>
            {GATE_NAMES.map((name) => {
              const amount = violationsOf(report, name)
              const finding = findingOf(name)
              return (
                <tr key={name}>
                  <th scope="row" class="data">
                    {name}
                  </th>
                  <td class="words counts">{GATES[name].title}</td>
                  <td class="number">
                    {amount > 0 && finding ? (
                      <a href={hrefOf({ view: 'requests', filter: `finding:${finding}` })}>
                        {amount.toLocaleString('en')}
                      </a>
                    ) : (
                      amount.toLocaleString('en')
                    )}
                  </td>
                  <td class={`words ${amount === 0 ? 'good' : 'bad'}`}>{amount === 0 ? 'holds' : 'fails'}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </Scroll>
      <p class="snippet">
        <code>{line}</code> <Copy text={line}>Copy</Copy>
      </p>
    </section>
  )
}

function EarlyRetries({ report: { earlyRetries } }: { report: Report }) {
  if (earlyRetries.count === 0) return null
  const longest = Math.max(...earlyRetries.first.map(({ earlyMs }) => earlyMs), 1)
  return (
    <section>
      <h2>
        {count(earlyRetries.count, 'early retry', 'early retries')}: how long before Retry-After had passed
      </h2>
      <Scroll label="Early retries">
        <table>
          <tbody>
            {earlyRetries.first.slice(0, 20).map(({ key, at, earlyMs, allowedAt }) => (
              <tr key={`${key} ${at} ${earlyMs}`}>
                <td>
                  <a href={hrefOf({ view: 'requests', filter: `finding:early-retry key:${key}` })}>
                    {timeOfDay(at)}
                  </a>
                </td>
                <td>{brief(key, 40)}</td>
                <td class="wide">
                  <Level value={earlyMs} max={longest} tone="warn" />
                </td>
                <td class="words">
                  {duration(earlyMs)} too early, allowed from {timeOfDay(allowedAt, 0)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {earlyRetries.count > 20 && (
        <p class="hint">and {(earlyRetries.count - 20).toLocaleString('en')} more</p>
      )}
    </section>
  )
}

/** Ids begin anew in each namespace: where all are shown, those of that id. */
const hrefToInput = (id: string): string =>
  namespace.value === ALL
    ? hrefOf({ view: 'requests', filter: `finding:ignored-input id:${id}` })
    : hrefOf({ view: 'requests', id })

function Ignored({ report: { ignoredInputs } }: { report: Report }) {
  if (ignoredInputs.count === 0) return null
  return (
    <section>
      <h2>{count(ignoredInputs.count, 'input')} ignored</h2>
      <Scroll label="Ignored inputs">
        <table>
          <tbody>
            {ignoredInputs.first.slice(0, 20).map(({ id, at, operationId, input }) => (
              <tr key={`${id} ${input}`}>
                <td>
                  <a href={hrefToInput(id)}>{id}</a>
                </td>
                <td>{timeOfDay(at)}</td>
                <td>{operationId}</td>
                <td class="long">{brief(input, 120)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  )
}
