/** Commands that show or change the state of a namespace. */
import { setTimeout } from 'node:timers/promises'
import type { ControlClient } from '../../client/control.ts'
import { Unreachable } from '../../client/control-error.ts'
import { readNow } from '../../config/readers.ts'
import { needs, UsageError } from '../../config/usage-error.ts'
import type { ClockTurn, ClockView, SnapshotView } from '../../contract/generated/control.types.d.ts'
import { inThousands } from '../../text/in-thousands.ts'
import { plural } from '../../text/plural.ts'
import { printable, printableJson, printableLines } from '../../text/printable.ts'
import { formatDuration, parseDuration, smallerUnit } from '../../time/duration.ts'
import { DAY, SECOND } from '../../time/instant.ts'
import { fieldText } from '../../views/diff.ts'
import { readNamespace } from '../../world/keys/bearer-token.ts'
import { PET_STATUSES } from '../../world/pets/pet.ts'
import { RESET_PARTS } from '../../world/reset.ts'
import { group } from '../command.ts'
import { POINT, refuseSideAlone, remote, side } from '../remote.ts'
import { readAs, readDuration, readInteger, readPoint } from '../values.ts'

export const wait = remote({
  takes: {
    '--for <duration>': { summary: 'longest wait, in real time', default: '30s', read: readDuration },
  },
  examples: ['wait', 'wait --url http://localhost:4010 --for 1m'],
  call: (client, given) => untilReady(client, parseDuration(given.for)),
  output: (_, { client }) => `A sandbox is ready on ${client.origin}.\n`,
})

const PAUSE_MS = 50
/** The time limit of an attempt, even if less is left: its error says why no sandbox answers. */
const LEAST_MS = 1000

async function untilReady(client: ControlClient, most: number) {
  const deadline = performance.now() + most
  for (;;) {
    // A client remembers that no sandbox answered, so each attempt uses a new one.
    const left = Math.ceil(deadline - performance.now())
    // A timer cannot wait for 50 days.
    const attempt = client.in(client.namespace, Math.min(DAY, Math.max(LEAST_MS, left)))
    try {
      return await attempt.call('GET', '/health')
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      const { problem, fix } = error
      if (performance.now() + PAUSE_MS >= deadline)
        throw new Unreachable(`No sandbox was ready within ${formatDuration(most)}: ${problem}`, fix)
    }
    await setTimeout(PAUSE_MS)
  }
}

export const pets = remote({
  takes: {
    '--status <status>': { summary: 'only pets with this status', words: PET_STATUSES },
    '--q <text>': 'only pets with this id, or with this text in their name (case-insensitive)',
    '--limit <count>': { summary: 'number of pets, 1 to 1,000 (default: 100)', read: readInteger(1, 1000) },
    '--after <id>': 'only pets with a higher id',
  },
  examples: ['pets --status sold', 'pets --q kit --namespace worker-1', 'pets --after 100 --limit 20'],
  reads: true,
  views: true,
  async call(client, { status, q, limit, after }) {
    // The sandbox validates the query.
    const query = { status, q, limit, after }
    const { text, value, headers } = await client.call('GET', '/pets', { query })
    return { text, value: { pets: value, total: Number(headers.get('x-total-count')) } }
  },
  output({ pets, total }: { readonly pets: readonly Record<string, unknown>[]; readonly total: number }) {
    const names = [...new Set(['id', 'name', 'categoryId', 'status', ...pets.flatMap(Object.keys)])]
    const rows = pets.map((pet) => names.map((name) => fieldText(pet[name])))
    const table = { head: names.map(headingOf), rows, none: 'No matching pets' }
    const isPart = pets.length > 0 && pets.length < total
    return isPart ? [table, `${inThousands(pets.length)} of ${plural(total, 'pet')}\n`] : table
  },
})

const headingOf = (name: string): string =>
  `${/^(id|categoryId)$/.test(name) ? '>' : '~'}${name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toUpperCase()}`

export const reset = remote({
  takes: { '[part...]': { summary: 'parts to reset (default: all but keys)', choices: RESET_PARTS } },
  examples: ['reset', 'reset limits bans', 'reset --namespace worker-1'],
  call: (client, { part }) =>
    client.call('POST', '/reset', { body: part.length > 0 ? { only: [...part] } : {} }),
  output({ reset, pets }, { client }) {
    const left = reset.includes('pets') ? `: ${plural(pets, 'pet')}` : ''
    return `Reset ${reset.join(', ')} of namespace ${client.namespace}${left}.\n`
  },
})

const turn = (summary: string, body: ClockTurn) =>
  remote({ summary, call: (client) => client.call('POST', '/clock', { body }), output: clockText })

export const clock = group(
  {
    show: remote({
      summary: 'show the time of the namespace (the default)',
      reads: true,
      views: true,
      call: (client) => client.call('GET', '/clock'),
      output: clockText,
    }),
    advance: remote({
      summary: 'advance the clock',
      takes: { '<duration>': { summary: 'such as 500ms, 61s, 5m, 2h, 1d or PT61S', read: readDuration } },
      call: (client, { duration: advance }) => client.call('POST', '/clock', { body: { advance } }),
      output: clockText,
    }),
    set: remote({
      summary: 'set the clock to an instant',
      takes: {
        '<instant>': {
          summary: 'such as 2030-12-05T00:00:00Z, or a date (00:00 UTC)',
          read: readAs(readNow),
        },
      },
      call: (client, { instant: set }) => client.call('POST', '/clock', { body: { set } }),
      output: clockText,
    }),
    freeze: turn('stop the clock', { frozen: true }),
    resume: turn('let the clock run', { frozen: false }),
    reset: remote({
      summary: 'return to real time',
      call: (client) => client.call('DELETE', '/clock'),
      output: clockText,
    }),
  },
  ['clock', 'clock advance 61s', 'clock set 2030-12-05T00:00:00Z', 'clock freeze'],
)

function clockText({ now, frozen }: ClockView): string {
  const distance = Date.parse(now) - Date.now()
  // Rounded to the nearest, because the answer is a little older than the time of this process.
  const unit = Math.max(SECOND, smallerUnit(Math.abs(distance)))
  const ahead = Math.round(distance / unit) * unit
  const by = formatDuration(Math.abs(ahead))
  const beside = ahead === 0 ? 'real time' : `${by} ${ahead > 0 ? 'ahead of' : 'behind'} real time`
  return `${printable(now)}, ${frozen ? 'frozen' : 'running'}, ${beside}\n`
}

const aboutSnapshot = (done: string) => (snapshot: SnapshotView) =>
  `${done} snapshot ${printable(snapshot.name)}: ${plural(snapshot.pets, 'pet')}.\n`

export const snapshot = group(
  {
    list: remote({
      summary: 'list the snapshots of the namespace (the default)',
      reads: true,
      call: (client) => client.call('GET', '/snapshots'),
      output: (snapshots) => ({
        head: ['~NAME', '>PETS', 'SAVED AT'],
        rows: snapshots.map(({ name, pets, at }) => [name, pets, at]),
        none: 'No snapshots',
      }),
    }),
    save: remote({
      summary: 'save pets, id counter and keys under a name',
      takes: { '<name>': 'name of the snapshot', '--force': 'replace an existing snapshot of that name' },
      async call(client, { name, force }) {
        if (!force) await refuseExisting(client, name)
        return client.call('PUT', '/snapshots/{name}', { path: { name } })
      },
      output: aboutSnapshot('Saved'),
    }),
    restore: remote({
      summary: 'restore a snapshot',
      takes: { '<name>': 'name of the snapshot' },
      call: (client, { name }) => client.call('POST', '/snapshots/{name}/restore', { path: { name } }),
      output: aboutSnapshot('Restored'),
    }),
    delete: remote({
      summary: 'delete a snapshot',
      takes: { '<name>': 'name of the snapshot' },
      call: (client, { name }) => client.call('DELETE', '/snapshots/{name}', { path: { name } }),
      output: (_, { given }) => `Deleted snapshot ${given.name}.\n`,
    }),
  },
  ['snapshot save before-checkout', 'snapshot restore before-checkout', 'snapshot list'],
)

async function refuseExisting(client: ControlClient, name: string): Promise<void> {
  const { value } = await client.call('GET', '/snapshots')
  const existing = value.find((snapshot) => snapshot.name === name)
  if (!existing) return
  const found = `There is a snapshot ${name} already, of ${plural(existing.pets, 'pet')}, saved at ${existing.at}`
  throw new UsageError(found, 'Use another name, or replace it with --force')
}

export const history = remote({
  takes: { '--branches': 'also list undone requests and control calls, with their branch' },
  examples: ['history', 'history --namespace worker-1 --json', 'history --branches'],
  reads: true,
  call: (client, { branches }) => client.call('GET', '/history', { query: branches ? { branch: '*' } : {} }),
  output: (points) => ({
    head: ['ID', 'AT', '~WHAT'],
    rows: points.map(({ id, at, what, branch }) => [id, at, branch ? `${what} (${branch})` : what]),
    none: 'No requests or control calls to rewind to',
  }),
})

export const record = remote({
  examples: ['record > bug.jsonl', 'record --namespace worker-1 > bug.jsonl'],
  reads: true,
  async call(client) {
    const text = await client.document('/recording')
    return { text, value: text }
  },
  output: printableJson,
})

export const rewind = remote({
  takes: {
    '[request]': { summary: 'id of a request or control call (see history)', read: readPoint },
    ...side('before'),
    '--undo': 'undo the last rewind',
    '--branch <name>': 'with --undo: undo the rewind of this branch (see history --branches)',
  },
  examples: ['rewind req_000123', 'rewind ctl_000007 --side after', 'rewind --undo'],
  call(client, { request: to, side, undo, branch }) {
    if (undo && (to !== undefined || side !== undefined))
      throw new UsageError('--undo takes no request and no --side', 'Leave out the request and --side')
    if (branch !== undefined && !undo) throw needs('--branch', '--undo')
    if (to === undefined && !undo)
      throw new UsageError(
        'rewind needs a request or a control call',
        'Name one, such as req_000123, or undo a rewind with --undo',
      )
    return client.call('POST', '/rewind', { body: { to, side, undo, branch } })
  },
  output({ now, pets, branch }, { client, given: { request, side = 'before' } }) {
    const where = request === undefined ? 'before the rewind' : `${side} ${request}`
    const undone = branch === undefined ? '' : `\n${branch} keeps what was undone; rewind --undo swaps them.`
    const outcome = `Namespace ${client.namespace} is as it was ${where}: ${plural(pets, 'pet')}, ${now}`
    return printableLines(`${outcome}.${undone}\n`)
  },
})

export const fork = remote({
  takes: { '<name>': { summary: 'name of the copy', read: readNamespace }, ...POINT },
  examples: ['fork w2', 'fork w2 --at req_000123 --side before'],
  call(client, { name: into, at, side }) {
    refuseSideAlone({ at, side })
    return client.call('POST', '/fork', { body: { into, at, side } })
  },
  output: ({ namespace, key }, { client }) =>
    `Namespace ${namespace} is a copy of ${client.namespace}; its key is ${printable(key)}.\n`,
})
