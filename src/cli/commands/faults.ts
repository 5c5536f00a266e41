/** Commands for fault rules, and for the requests that they hold. */
import { Option } from 'commander'
import { readLatencyText, readText } from '../../config/readers.ts'
import { refuseWithout, UsageError } from '../../config/usage-error.ts'
import type { FaultInput, FaultRule } from '../../contract/generated/control.types.d.ts'
import { isObject, stringifyJson } from '../../contract/openapi/json.ts'
import { InvalidValue } from '../../text/advised-error.ts'
import { errorMessage } from '../../text/error.ts'
import { inThousands } from '../../text/in-thousands.ts'
import { WIRE_FAULTS } from '../../world/faults/fault.ts'
import { type Given, group } from '../command.ts'
import { remote, type Table } from '../remote.ts'
import { readInteger, readJson, readTimeout } from '../values.ts'

/** The name of the value of an option, such as `retryAfter`. */
const nameOf = (syntax: string): string => new Option(syntax).attributeName()

const HOLDS = ['--hold-until-operation', '--hold-until-released']

/** The options that choose the effect of a rule: it has one, and a failure may also be late. */
const EFFECTS = ['--status', '--latency', '--wire', ...HOLDS]
const NAMES_OF_HOLDS = HOLDS.map(nameOf)

const RULE = {
  '--operation <operationId>': 'only this operation, such as createPet',
  '--method <method>': { summary: 'only this method', read: readText },
  '--path <path>': 'only this path, with or without /v1; a trailing * matches anything',
  '--key <key>': { summary: 'only this API key', read: readText },
  '--parameters <query>': {
    summary: 'only requests whose query has these parameters, such as status=sold',
    read: readText,
  },
  '--body <json>': {
    summary: 'only requests whose body contains these members',
    read: readJson('use an object such as {"name":"Kit"}'),
  },
  '--status <status>': {
    summary: 'effect: an error response with this status',
    conflicts: ['wire', ...NAMES_OF_HOLDS],
    read: readInteger(400, 599),
  },
  '--retry-after <seconds>': { summary: 'Retry-After header; needs --status', read: readInteger(1) },
  '--code <code>': { summary: 'code of the error; needs --status', read: readText },
  '--message <text>': 'message of the error; needs --status',
  '--latency <duration|min-max>': {
    summary:
      'effect: the response, or the failure of --status or --wire, is delayed, such as 200ms or 100ms-300ms',
    conflicts: NAMES_OF_HOLDS,
    read: readLatencyText,
  },
  '--wire <fault>': {
    summary: 'effect: the connection fails',
    conflicts: ['status', ...NAMES_OF_HOLDS],
    choices: WIRE_FAULTS,
  },
  '--hold-until-operation <operationId>': {
    summary: 'effect: hold the request until this operation is answered',
    conflicts: NAMES_OF_HOLDS,
  },
  '--hold-until-released': 'effect: hold the request until petstore-sandbox holds release',
  '--hold-timeout <duration>': {
    summary: 'longest hold, in real time (default: 10s)',
    read: readTimeout('60s'),
  },
  '--when <time>': {
    summary: 'act before the request is carried out, or after it (default: before)',
    choices: ['before', 'after'],
  },
  '--times <count>': { summary: 'how often the rule acts (default: always)', read: readInteger(1) },
  '--for <duration>': { summary: 'how long the rule acts, in virtual time', read: readTimeout('365d') },
  '--probability <share>': {
    summary: 'probability that the rule acts on a matching request, from 0 to 1',
    read: readShare,
  },
} as const

const USE_RULE = `use one rule such as '{"effect":{"status":503}}', or a list of rules`

export const faults = group(
  {
    list: remote({
      summary: 'list the rules in order (the default)',
      reads: true,
      views: true,
      call: (client) => client.call('GET', '/faults'),
      output: (rules) => ({ ...table(rules), none: 'No faults' }),
    }),
    add: remote({
      summary: 'append a rule; the first rule that matches a request acts',
      takes: {
        ...RULE,
        '--rule <json>': {
          summary: 'the whole rule as JSON, or a list of rules, instead of all other options',
          conflicts: Object.keys(RULE).map(nameOf),
          read: readJson(USE_RULE),
        },
      },
      examples: [
        'faults add --operation createPet --status 503 --retry-after 5 --times 2',
        'faults add --latency 100ms-300ms --probability 0.1 --for 30s',
        'faults add --operation listPets --hold-until-operation createPet --when after --times 1',
        'faults add --operation createPet --wire reset --when after',
        `faults add --status 503 --code maintenance --message 'Back at noon.'`,
        `faults add --rule '{"match":{"path":"/pets/*"},"effect":{"status":500}}'`,
      ],
      keyed: true,
      async call(client, { rule, ...given }) {
        const rules = rule === undefined ? [inputOf(given)] : rulesOf(rule)
        const answers = []
        try {
          // One after the other, because the order of rules matters.
          for (const body of rules) answers.push(await client.call('POST', '/faults', { body }))
        } catch (error) {
          const before = answers.length > 0 ? `Rules added before: ${answers.length}. ` : ''
          throw Object.assign(Object(error), { message: before + errorMessage(error) })
        }
        const made = answers.map(({ value }) => value)
        const [one] = answers
        return { text: one && answers.length === 1 ? one.text : stringifyJson(made), value: made }
      },
      output: table,
    }),
    remove: remote({
      summary: 'remove a rule',
      takes: { '<id>': 'id of the rule' },
      call: (client, { id }) => client.call('DELETE', '/faults/{id}', { path: { id } }),
      output: (_, { given }) => `Removed ${given.id}.\n`,
    }),
    clear: remote({
      summary: 'remove every rule',
      call: (client) => client.call('DELETE', '/faults'),
      output: (_, { client }) => `Removed every rule of namespace ${client.namespace}.\n`,
    }),
  },
  ['faults', 'faults add --operation createPet --status 503 --times 2', 'faults remove fault_1'],
)

/** The control API validates the rules. */
function rulesOf(rule: unknown): readonly FaultInput[] {
  const rules = [rule].flat()
  if (rules.length === 0) throw new UsageError('--rule: the list is empty', USE_RULE)
  return rules.map(withoutHistory) as FaultInput[]
}

/** A listed rule without the id and the counts that the sandbox added. */
function withoutHistory(rule: unknown): unknown {
  if (!isObject(rule)) return rule
  const { id: _, acted: __, expiresAt: ___, ...input } = rule
  return input
}

function inputOf(given: Given<typeof RULE>): FaultInput {
  if (!EFFECTS.some((option) => nameOf(option) in given))
    throw new UsageError('The rule has no effect', `Give it one of ${EFFECTS.join(', ')}`)
  const { operation: operationId, method, path, key, parameters, body, ...rest } = given
  const { status, retryAfter, code, message, latency, wire, when, times, probability } = rest
  const { holdUntilOperation, holdUntilReleased, holdTimeout: timeout } = rest
  if (status === undefined) refuseWithout('--status <status>', { 'retry-after': retryAfter, code, message })
  const until = holdUntilReleased ? 'released' : holdUntilOperation && { operationId: holdUntilOperation }
  if (until === undefined)
    refuseWithout('--hold-until-operation or --hold-until-released', { 'hold-timeout': timeout })
  const hold = until && { until, timeout }
  const effect = { status, retryAfter, code, message, latency, wire, hold } as FaultInput['effect']
  const match = { operationId, method, path, key, parameters, body }
  return { match, effect, when, times, for: given.for, probability }
}

function readShare(text: string): number {
  const share = Number(text)
  if (text.trim() !== '' && share >= 0 && share <= 1) return share
  throw new InvalidValue(`"${text}" is not a valid probability`, 'use a number from 0 to 1, such as 0.5')
}

function table(rules: readonly FaultRule[]): Table {
  const rows = rules.map(({ id, match = {}, when = 'before', times, probability = 1, acted, ...rule }) => [
    id,
    when,
    times === undefined ? inThousands(acted) : `${inThousands(acted)} of ${inThousands(times)}`,
    String(probability),
    pairs(match) || 'every request',
    pairs({ ...rule.effect, ...(rule.expiresAt && { until: rule.expiresAt }) }),
  ])
  return { head: ['ID', 'WHEN', '>ACTED', '>PROBABILITY', '~MATCH', '~EFFECT'], rows }
}

const pairs = (members: object): string =>
  Object.entries(members)
    .map(([name, value]) => `${name} ${isObject(value) ? pairs(value) : value === '' ? '""' : value}`)
    .join(', ')

export const holds = group(
  {
    list: remote({
      summary: 'list the requests that are being held (the default)',
      reads: true,
      call: (client) => client.call('GET', '/holds'),
      output: (holds) => ({
        head: ['ID', 'REQUEST', 'OPERATION', 'RULE', 'WHEN', '~UNTIL', 'SINCE', 'TIMEOUT'],
        rows: holds.map(({ id, request, operationId, rule, when, until, since, timeout }) => [
          id,
          request,
          operationId ?? '-',
          rule,
          when,
          until === 'released' ? until : pairs(until),
          since,
          timeout,
        ]),
        none: 'No request is held',
      }),
    }),
    release: remote({
      summary: 'release a held request',
      takes: { '<id>': 'id of the hold, such as hold_1' },
      call: (client, { id }) => client.call('POST', '/holds/{id}/release', { path: { id } }),
      output: (_, { given }) => `Released ${given.id}.\n`,
    }),
  },
  ['faults add --operation listPets --hold-until-released', 'holds', 'holds release hold_1'],
)
