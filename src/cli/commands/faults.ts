/** Commands for fault rules, and for the requests that they hold. */

import type { FaultRule } from '../../contract/generated/control.types.d.ts'
import { stringifyJson } from '../../contract/openapi/json.ts'
import { WIRE_FAULTS } from '../../world/faults/fault.ts'
import { parts } from '../command.ts'
import { faultInputs } from '../fault-input.ts'
import { remote, type Table } from '../remote.ts'

export const faults = parts(
  {
    list: remote({
      summary: 'list the rules in order (the default)',
      reads: true,
      views: true,
      call: (client) => client.call('GET', '/faults'),
      shown: (rules) => ({ ...table(rules), none: 'No faults' }),
    }),
    add: remote({
      summary: 'append a rule; the first rule that matches a request acts',
      takes: {
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
      async call(client, flags) {
        const answers = []
        // One after the other, because the order of rules matters.
        for (const body of faultInputs(flags)) answers.push(await client.call('POST', '/faults', { body }))
        const made = answers.map(({ value }) => value)
        const [one] = answers
        return { text: one && answers.length === 1 ? one.text : stringifyJson(made), value: made }
      },
      shown: table,
    }),
    remove: remote({
      summary: 'remove a rule',
      takes: { '<id>': 'id of the rule' },
      call: (client, { id }) => client.call('DELETE', '/faults/{id}', { params: { path: { id } } }),
      shown: (_, { given }) => `Removed ${given.id}.\n`,
    }),
    clear: remote({
      summary: 'remove every rule',
      call: (client) => client.call('DELETE', '/faults'),
      shown: (_, { client }) => `Removed every fault of namespace ${client.namespace}.\n`,
    }),
  },
  ['faults', 'faults add --operation createPet --status 503 --times 2', 'faults remove fault_1'],
)

function table(rules: readonly FaultRule[]): Table {
  const rows = rules.map(({ id, match = {}, when = 'before', times, probability = 1, acted, ...rule }) => [
    id,
    pairs(match) || 'every request',
    pairs({ ...rule.effect, ...(rule.expiresAt && { until: rule.expiresAt }) }),
    when,
    times === undefined ? String(acted) : `${acted} of ${times}`,
    String(probability),
  ])
  return { head: ['ID', '~MATCH', '~EFFECT', 'WHEN', '>ACTED', '>PROBABILITY'], rows }
}

const pairs = (members: object): string =>
  Object.entries(members)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ')

export const holds = parts(
  {
    list: remote({
      summary: 'list the requests that are being held (the default)',
      reads: true,
      call: (client) => client.call('GET', '/holds'),
      shown: (holds) => ({
        head: ['ID', 'REQUEST', 'OPERATION', 'RULE', 'WHEN', '~UNTIL', 'SINCE', 'TIMEOUT'],
        rows: holds.map(({ id, request, operationId, rule, when, until, since, timeout }) => [
          ...[id, request, operationId ?? '-', rule, when],
          until === 'released' ? until : JSON.stringify(until),
          ...[since, timeout],
        ]),
        none: 'No request is held',
      }),
    }),
    release: remote({
      summary: 'release a held request',
      takes: { '<id>': 'id of the held request' },
      call: (client, { id }) => client.call('POST', '/holds/{id}/release', { params: { path: { id } } }),
      shown: (_, { given }) => `Released ${given.id}.\n`,
    }),
  },
  ['faults add --operation listPets --hold-until-released', 'holds', 'holds release hold_1'],
)
