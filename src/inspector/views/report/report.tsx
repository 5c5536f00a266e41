import { computed } from '@preact/signals'
import type { AnchorHTMLAttributes } from 'preact'
import { useEffect } from 'preact/hooks'
import { grouped } from '../../../text/grouped.ts'
import { plural } from '../../../text/plural.ts'
import { findingOf, GATE_NAMES, GATES, type GateName, gateCount } from '../../../world/traffic/gates.ts'
import { answerOf, api, refusal } from '../../data/api.ts'
import type { RequestEvent } from '../../data/event.ts'
import { allRequests, loaded, showAll } from '../../data/events.ts'
import { hasMark, isError, testFilter } from '../../data/filter.ts'
import { addressIn, isLater, isOfWorld } from '../../data/listed.ts'
import { EVERYTHING, hrefOf, namespace, point, shownState, world } from '../../data/location.ts'
import { resource } from '../../data/state.ts'
import type { Entry, Report } from '../../data/types.ts'
import { Place, read, Snippet } from '../../parts/buttons.tsx'
import { styled, Table } from '../../parts/table.tsx'
import { amount, brief, dateAndTime, endOf, visible } from '../../text/text.ts'
import { earlyBy, findingsOf, keyOfEntry } from '../requests/words.ts'
import { classOf } from '../timeline/plot.ts'
import { rect } from '../timeline/timeline.tsx'
import './report.css'

/** The report of all namespaces if all are shown; a point in time belongs to one namespace. */
const report = resource<Report | undefined>(undefined, (): Promise<Report | undefined> => {
  const query = point.value === undefined ? { namespace: namespace.value } : shownState()
  const answer = () => answerOf(api.GET('/report', { params: { query } }))
  // The shown report stays if the next one is refused.
  return report.peek() ? answer() : read('report', answer)
})

/** The requests that are counted, and their findings. */
const entries = computed(() => {
  const isCounted = (event: RequestEvent) =>
    point.value === undefined || (isOfWorld(event) && !isLater(event))
  return allRequests.value.filter(isCounted).map(({ entry }) => entry)
})
const findings = computed(() =>
  entries.value.flatMap((entry) => entry.findings.map((finding) => ({ ...finding, entry }))),
)

/** The counts of the report, each with a link to its requests. */
export function ReportView() {
  useEffect(() => report.refresh(1000), [allRequests.value])
  useEffect(() => report.refresh(), [namespace.value, point.value])
  const found = report.value
  if (!found) return <Place name="report">{!refusal.value && <p class="none">Reading the report.</p>}</Place>
  return (
    <div class="sheet">
      <ByTest total={found.requests} />
      <div class="beside report">
        <div>
          <Coverage {...found} />
          <EarlyRetries />
          <Repeated />
        </div>
        <Gates report={found} />
      </div>
    </div>
  )
}

interface RowsProps extends Pick<AnchorHTMLAttributes, 'class' | 'style'> {
  readonly text?: string | number | undefined
  readonly filter?: string
  /** The request to show in place of a filter; with `id`, the request that it names. */
  readonly only?: Entry | undefined
  readonly id?: string
}

/** A link to requests. The report also counts hidden ones, so the link shows them. */
function RowsLink({ filter, only, id = only?.id, text = id, ...rest }: RowsProps) {
  const to = only && id ? addressIn(only, id) : { view: 'requests', id: undefined, filter }
  const then = point.value !== undefined && { namespace: world.value, at: point.value }
  return (
    <a href={hrefOf({ ...EVERYTHING, ...then, ...to })} onClick={showAll} {...rest}>
      {typeof text === 'number' ? amount(text) : text}
    </a>
  )
}

/** `total`: of the report, which also counts the requests that the journal no longer has. */
function ByTest({ total }: { total: number }) {
  const all = entries.value
  const [first, last] = [all[0], all.at(-1)]
  return (
    <section aria-label="By test">
      <h2>
        By test{' '}
        <span class="quiet small">
          {loaded.value && all.length < total && `the last ${amount(all.length)} of `}
          {plural(Math.max(all.length, total), 'request')}
          {first && last && `, ${dateAndTime(first.at)} to ${dateAndTime(last.at)} UTC`}
        </span>
      </h2>
      {all.length > 0 && (
        <Table
          class="tests stacked"
          columns={[
            styled('name', 'Test'),
            styled('number data', 'Requests'),
            'In their order',
            styled('findings', 'Findings'),
            styled('data quiet', 'Keys'),
          ]}
          rows={[...grouped(all, ({ test }) => test)]}
          keyOf={([test = '']) => test}
          cells={([test, list]) => [
            <RowsLink filter={testFilter(test)} text={test === undefined ? 'no test' : brief(test, 80)} />,
            amount(list.length),
            strip(list),
            findingsOfTest(list, test),
            keysOf(list),
          ]}
        />
      )}
    </section>
  )
}

function keysOf(entries: readonly Entry[]): string {
  const [first = '', ...more] = new Set(entries.map(keyOfEntry))
  return `${visible(first)}${more.length > 0 ? ` and ${more.length} more` : ''}`
}

const STRIP = 220

/** A mark for each request; failed ones are coloured and taller. */
function strip(entries: readonly Entry[]) {
  const shown = entries.slice(-STRIP * 2)
  const width = Math.min(4, STRIP / shown.length)
  return (
    <svg width={width * shown.length} height={16} aria-hidden="true">
      {shown.map((entry, index) => {
        const [y, height] = isError(entry) ? [1, 14] : [5, 10]
        return rect(classOf(entry.status), index * width, y, width > 2 ? width - 1 : width, height)
      })}
    </svg>
  )
}

/** The findings of a test, one per kind. */
function findingsOfTest(entries: readonly Entry[], test: string | undefined) {
  const kinds = new Set(entries.flatMap((entry) => findingsOf(entry).map(({ kind }) => kind)))
  if (kinds.size === 0) return <span class="quiet">none</span>
  const isOf = (kind: string) => (entry: Entry) => findingsOf(entry).some((each) => each.kind === kind)
  return [...kinds].map((kind, index) => {
    const run = entries.filter(isOf(kind))
    const [first] = run as [Entry]
    // Counted like the filter does: also requests whose row shows another finding instead.
    const { length } = entries.filter((entry) => hasMark(entry, kind.toLowerCase()))
    const { text = '', tone } = findingsOf(first, run).find((each) => each.kind === kind) ?? {}
    const filter = `${testFilter(test)} finding:${/^[\w-]+$/.test(kind) ? kind : `"${kind}"`}`
    const more = length === 1 ? { only: first } : { text: `${brief(text, 60)} ×\u00a0${length}` }
    return [
      index > 0 && ', ',
      <RowsLink key={kind} class={tone} filter={filter} text={brief(text, 60)} {...more} />,
    ]
  })
}

/** The status 0 stands for requests whose client got no response because of a wire fault. */
function Coverage({ coverage, uncovered, requests }: Report) {
  const called = [...new Set([...Object.keys(coverage), ...uncovered])].map((name) => {
    const counts = coverage[name] ?? {}
    const sum = Object.values(counts).reduce((all, each) => all + each, 0)
    return { name, counts, sum, filter: `operation:${name}` }
  })
  const rest = called.reduce((left, { sum }) => left - sum, requests)
  // The report does not have their statuses, and the history only those of the last requests.
  const others = entries.value.filter(({ operationId }) => operationId === null)
  const areKnown = others.length === rest
  const byStatus = [...grouped(areKnown ? others : [], ({ status }) => `${status}`)]
  const counts = Object.fromEntries(byStatus.map(([status, list]) => [status, list.length]))
  const rows = [...called, { name: 'no operation', counts, sum: rest, filter: 'operation:none' }]
  const statuses = [...new Set(rows.flatMap(({ counts }) => Object.keys(counts)))].sort()
  const sums = statuses.map((name) => [name, rows.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0)])
  const all = { name: 'all', counts: areKnown ? Object.fromEntries(sums) : {}, sum: requests, filter: '' }
  return (
    <section aria-label="By operation and status" style={{ '--digits': amount(requests).length }}>
      <h2>By operation and status</h2>
      <Table
        class="cells lines data"
        columns={['Operation', ...statuses.map((status) => nameOf(status)), styled('sum', 'all')]}
        rows={[...rows, all]}
        keyOf={({ name }) => name}
        cells={({ name, counts, sum, filter }) => [
          [brief(name, 60), ' ', uncovered.includes(name) && <span class="bad">never called</span>],
          ...statuses.map((status) => {
            const count = counts[status]
            if (count === undefined || !filter) return count && amount(count)
            const tint = { class: classOf(Number(status)), style: { '--share': count / sum } }
            return <RowsLink filter={`${filter} status:${nameOf(status)}`} text={count} {...tint} />
          }),
          sum > 0 && filter ? <RowsLink filter={filter} text={sum} /> : amount(sum),
        ]}
      />
      <p class="quiet small">
        Tints show shares of the requests of an operation. Each number leads to its requests.
      </p>
    </section>
  )
}

const nameOf = (status: string): string => (status === '0' ? 'none' : status)

function Gates({ report }: { report: Report }) {
  const found = GATE_NAMES.map((name) => ({ name, count: gateCount(report, name) }))
  const passing = found.filter(({ count }) => count === 0).map(({ name }) => name)
  const fails = passing.length > 0 ? `--fail-on ${passing.join(',')} ` : ''
  return (
    <section aria-label="Gates">
      <h2>
        Gates of <span class="data">exec --fail-on</span>
      </h2>
      <Table
        rows={found}
        keyOf={({ name }) => name}
        columns={[
          styled('data', 'Gate'),
          styled('number data found', 'Found'),
          `Result ${point.value === undefined ? 'now' : 'at that point'}`,
        ]}
        cells={({ name, count }) => [
          <span title={GATES[name].title}>{name}</span>,
          gateRows(name, count),
          <span class={count === 0 ? 'quiet' : 'bad'}>{count === 0 ? 'holds' : 'fails'}</span>,
        ]}
      />
      <Snippet text={`petstore-sandbox exec ${fails}-- npm test`} class="primary" />
      <p class="quiet small">The command has the gates that hold. Forced answers and faults do not count.</p>
    </section>
  )
}

/** A count with the number of its listed requests, if they differ: a request may have several ignored inputs. */
function gateRows(name: GateName, count: number) {
  const kind = findingOf(name)
  const { length } = entries.value.filter(({ findings }) => findings.some((each) => each.kind === kind))
  const text = length === count ? count : `${amount(count)} in ${plural(length, 'listed request')}`
  return length === 0 ? amount(count) : <RowsLink filter={`finding:=${kind}`} text={text} />
}

/** Early retries by key, between the refusal and the allowed instant. */
function EarlyRetries() {
  const early = findings.value.filter(({ earlyMs }) => earlyMs !== undefined)
  if (early.length === 0) return null
  return (
    <section aria-label="Early retries">
      <h2>Early retries</h2>
      <Table
        class="lines"
        rows={[...grouped(early, ({ entry }) => keyOfEntry(entry))]}
        keyOf={([key]) => key}
        columns={[
          styled('data', 'Key'),
          styled('number', 'Retries'),
          'Too early by',
          styled('dots', 'Sent, before the instant allowed'),
        ]}
        cells={([key, list]) => {
          const lengths = list.map(({ earlyMs = 0 }) => earlyMs)
          return [
            visible(key),
            <RowsLink filter={`finding:early-retry key:"${key}"`} text={list.length} />,
            earlyBy(lengths),
            dots(lengths, list.at(-1)?.allowedAt),
          ]
        }}
      />
    </section>
  )
}

const BAND = 250

function dots(lengths: readonly number[], allowedAt = '') {
  const longest = Math.max(...lengths, 1)
  return (
    <>
      <svg width={BAND + 8} height={18} aria-hidden="true">
        <path d={`M4 9.5H${BAND + 4}M${BAND + 3.5} 3v13`} />
        {lengths.slice(-200).map((length) => rect('warn', BAND * (1 - length / longest), 6, 7, 7))}
      </svg>
      <span class="quiet small">{allowedAt && endOf(allowedAt)}</span>
    </>
  )
}

/** Duplicates and ignored inputs. */
function Repeated() {
  const found = findings.value.filter(({ kind }) => kind === 'duplicate' || kind === 'ignored-input')
  if (found.length === 0) return null
  return (
    <section aria-label="Duplicates and ignored input">
      <h2>Duplicates and ignored input</h2>
      <Table
        headless
        class="lines"
        rows={found.slice(-20)}
        keyOf={({ entry, kind }) => `${entry.namespace} ${entry.id} ${kind}`}
        columns={[styled('findings', 'Finding'), styled('data', 'Requests'), styled('quiet', 'Subject')]}
        cells={({ entry, text, of, inputs }) => [
          of ? 'possible duplicate' : brief(text, 1000),
          [of && [<RowsLink only={entry} id={of} />, ' and '], <RowsLink only={entry} />],
          inputs ? entry.operationId : visible(keyOfEntry(entry)),
        ]}
      />
    </section>
  )
}
