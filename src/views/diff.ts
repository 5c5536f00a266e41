import type { KeyLimits, StateDiff } from '../contract/generated/control.types.d.ts'
import { stringifyJson } from '../contract/openapi/json.ts'
import { pathOfDifference, type RequestName } from '../past/difference.ts'
import type { RequestDifference } from '../past/recordings-diff.ts'
import { inThousands } from '../text/in-thousands.ts'
import { plural } from '../text/plural.ts'
import { shorten } from '../text/shorten.ts'
import { UNLIMITED } from '../world/plan.ts'
import type { Colours } from './colours.ts'
import { wasAndIs } from './replay.ts'
import { textTable } from './text-table.ts'

const KINDS = ['added', 'removed', 'changed'] as const

/** The differences between two states, for people. */
export const diffText = (diff: StateDiff, paint: Colours, columns?: number): string =>
  petsText(diff, paint, columns) + nextIdText(diff.nextId) + limitsText(diff.limits, paint, columns)

function petsText(diff: StateDiff, { strong }: Colours, columns: number | undefined): string {
  const rows = KINDS.flatMap((kind) =>
    diff[kind].first.map((pet, i) => [
      kind,
      ...petCells(kind === 'changed' ? diff.changed.was[i] : pet, pet),
    ]),
  )
  if (rows.length === 0) return 'No pet differs.\n'
  const counts = KINDS.map((kind) => `${inThousands(diff[kind].count)} ${kind}`).join(', ')
  const isMore = KINDS.some((kind) => diff[kind].count > diff[kind].first.length)
  const others = rows.some((cells) => cells.at(-1)) ? ['~OTHER FIELDS'] : []
  const headings = ['WHAT', '>ID', '~NAME', '>CATEGORY', 'STATUS', ...others]
  return `${counts}${isMore ? '; the first 100 of each' : ''}\n${textTable(headings, rows, strong, columns)}`
}

/** Both values of each field that differs. Fields of an overlay are in the last cell, and only if they differ. */
function petCells(was: Readonly<Record<string, unknown>> = {}, is: typeof was): string[] {
  const both = (field: string) => change(fieldText(was[field]), fieldText(is[field]))
  const { id: _id, name: _name, categoryId: _categoryId, status: _status, ...others } = { ...was, ...is }
  const changes = Object.keys(others)
    .filter((field) => pathOfDifference(was[field], is[field], ''))
    .map((field) => `${field}: ${[was, is].map((pet) => shorten(fieldText(pet[field]))).join(' → ')}`)
  return [String(is.id), both('name'), both('categoryId'), both('status'), changes.join(', ')]
}

/** The value of a field as a cell: `-` if there is none. */
export const fieldText = (value: unknown): string =>
  value === undefined ? '-' : typeof value === 'string' ? value : stringifyJson(value)

const nextIdText = ({ a, b }: StateDiff['nextId']): string =>
  a === b ? '' : `The next id differs: ${a} → ${b}\n`

function limitsText(limits: StateDiff['limits'], { strong }: Colours, columns: number | undefined): string {
  if (!limits) return ''
  if (limits.count === 0) return 'No limits differ.\n'
  const rows = limits.first.map(({ a, b }) => [
    a.key,
    a.plan === b.plan ? a.plan : `${a.plan} → ${b.plan}`,
    ...[a.minute, a.day].map((was, i) => quotaChange(was, [b.minute, b.day][i] ?? was)),
    change(banText(a), banText(b)),
  ])
  const isMore = limits.count > limits.first.length
  const headline = `The limits of ${plural(limits.count, 'key')} differ${isMore ? '; the first 100' : ''}`
  return `${headline}\n${textTable(['~KEY', 'PLAN', 'MINUTE', 'DAY', 'BAN'], rows, strong, columns)}`
}

const change = (was: string, is: string): string => (was === is ? was : `${was} → ${is}`)

const quotaChange = (was: KeyLimits['minute'], is: KeyLimits['minute']): string =>
  was.limit === is.limit && was.limit !== UNLIMITED
    ? `${change(inThousands(was.remaining), inThousands(is.remaining))} of ${inThousands(was.limit)}`
    : change(quotaText(was), quotaText(is))

export const quotaText = ({ limit, remaining }: KeyLimits['minute']): string =>
  limit === UNLIMITED ? 'unlimited' : `${inThousands(remaining)} of ${inThousands(limit)}`

const banText = ({ ban }: KeyLimits): string => (ban ? `${ban.seconds} s` : '-')

/** The first request that differs in two recordings, for people. Undefined: no request differs. */
export function requestDifferenceText(found: RequestDifference | undefined): string {
  if (!found) return 'No request or response differs.\n'
  const { kind, namespace, a, b, difference } = found
  const which = {
    reply: 'First request with another response',
    request: 'First request that differs',
    inserted: 'First request that only b has',
    missing: 'First request that only a has',
  }[kind]
  const lines = [a && `  a: ${nameOf(a)}`, b && `  b: ${nameOf(b)}`].filter((line) => line !== null)
  return `${which}, in namespace ${namespace}:\n${lines.join('\n')}\n${difference ? wasAndIs(difference) : ''}`
}

/** The limit of characters of a target. */
const MAX_SHOWN = 200

const nameOf = ({ command, request, requestId }: RequestName): string =>
  `${shorten(request, MAX_SHOWN)}, command ${command}${requestId === null ? '' : `, ${requestId}`}`
