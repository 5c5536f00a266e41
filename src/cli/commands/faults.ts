/** Commands for fault rules, and for the requests that they hold. */
import type { Command } from 'commander'
import { invalid, UsageError } from '../../config/usage-error.ts'
import type { FaultInput, FaultRule } from '../../contract/generated/control.types.d.ts'
import { isObject, stringifyJson } from '../../contract/openapi/json.ts'
import { inThousands } from '../../text/in-thousands.ts'
import { WIRE_FAULTS } from '../../world/faults/fault.ts'
import { type Given, group } from '../command.ts'
import { remote, type Table } from '../remote.ts'
import { jsonValue } from '../values.ts'

/** The options that describe a rule. */
const RULE = {
  '--operation <operationId>': 'only this operation, such as createPet',
  '--method <method>': 'only this method',
  '--path <path>': 'only this path, with or without /v1; a trailing * matches anything',
  '--key <key>': 'only this API key',
  '--status <status>': 'effect: an error response with this status',
  '--retry-after <seconds>': 'Retry-After header; needs --status',
  '--code <code>': 'code of the error; needs --status',
  '--message <text>': 'message of the error; needs --status',
  '--latency <duration|min-max>': 'effect: the response is delayed, such as 200ms or 100ms-300ms',
  '--wire <fault>': { summary: 'effect: the connection fails', choices: WIRE_FAULTS },
  '--hold-until-operation <operationId>': {
    summary: 'effect: hold the request until this operation is answered',
    conflicts: ['holdUntilReleased'],
  },
  '--hold-until-released': 'effect: hold the request until petstore-sandbox holds release',
  '--hold-timeout <duration>': 'longest time to hold, in real time (default: 10s)',
  '--when <time>': {
    summary: 'act before the request is carried out, or after it (default: before)',
    choices: ['before', 'after'],
  },
  '--times <count>': 'how often the rule acts (default: always)',
  '--for <duration>': 'how long the rule acts, in virtual time, such as 30s',
  '--probability <share>': 'probability that the rule acts on a matching request, from 0 to 1',
} as const

/** A rule needs at least one of these options. */
const EFFECTS = ['--status', '--latency', '--wire', '--hold-until-operation', '--hold-until-released']

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
        '--rule <json>': 'the whole rule as JSON, or a list of rules, instead of all other options',
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
      async call(client, given, { command }) {
        const answers = []
        // One after the other, because the order of rules matters.
        for (const body of inputsOf(given, command))
          answers.push(await client.call('POST', '/faults', { body }))
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

type AddGiven = Given<typeof RULE> & { readonly rule?: string | undefined }

/** The rules that the options describe; the control API validates them. Throws a UsageError. */
function inputsOf({ rule, ...given }: AddGiven, command: Command): readonly FaultInput[] {
  if (rule === undefined) return [inputOf(given)]
  const other = command.options.find(
    (option) => option.flags in RULE && command.getOptionValue(option.attributeName()) !== undefined,
  )
  if (other) {
    throw new UsageError(
      `--rule holds the complete rule, so ${other.long} cannot be added`,
      'Leave it out, or write it into the rule',
    )
  }
  const use = `Use one rule such as '{"effect":{"status":503}}', or a list of rules`
  const rules = [jsonValue('--rule', rule, use)].flat()
  if (rules.length === 0) throw new UsageError('--rule: the list is empty', use)
  return rules.map(withoutHistory) as FaultInput[]
}

/** A listed rule without the id and the counts that the sandbox added. */
function withoutHistory(rule: unknown): unknown {
  if (!isObject(rule)) return rule
  const { id: _, acted: __, expiresAt: ___, ...input } = rule
  return input
}

function inputOf(given: Given<typeof RULE>): FaultInput {
  const { operation: operationId, method, path, key, code, message, latency, wire, when } = given
  const match = { operationId, method, path, key }
  const status = numberOf('status', given.status, '503')
  const hold = holdOf(given)
  const retryAfter = numberOf('retry-after', given.retryAfter, '5')
  const effect = { status, retryAfter, code, message, latency, wire, hold }
  const times = numberOf('times', given.times, '2')
  const probability = numberOf('probability', given.probability, '0.5')
  if ([status, latency, wire, hold].every((each) => each === undefined))
    throw new UsageError('The rule has no effect', `Give it one of ${EFFECTS.join(', ')}`)
  return { match, effect, when, times, for: given.for, probability } as FaultInput
}

function holdOf({ holdUntilOperation, holdUntilReleased, holdTimeout: timeout }: Given<typeof RULE>) {
  if (holdUntilReleased) return { until: 'released', timeout }
  if (holdUntilOperation === undefined) return timeout === undefined ? undefined : { timeout }
  return { until: { operationId: holdUntilOperation }, timeout }
}

function numberOf(option: string, text: string | undefined, example: string): number | undefined {
  if (text === undefined) return undefined
  if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  throw invalid(option, text, 'a number', `use one such as ${example}`)
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
    .map(([name, value]) => `${name} ${isObject(value) ? pairs(value) : value}`)
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
      takes: { '<id>': 'id of the held request' },
      call: (client, { id }) => client.call('POST', '/holds/{id}/release', { path: { id } }),
      output: (_, { given }) => `Released ${given.id}.\n`,
    }),
  },
  ['faults add --operation listPets --hold-until-released', 'holds', 'holds release hold_1'],
)
