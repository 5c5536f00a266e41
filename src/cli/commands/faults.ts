import { type Command, Option } from 'commander'
import type { ControlResponse } from '../../client/call.ts'
import type { ControlClient } from '../../client/control.ts'
import type { FaultRule } from '../../contract/generated/control.types.d.ts'
import { stringifyJson } from '../../contract/openapi/json.ts'
import { textTable } from '../../views/text-table.ts'
import { WIRE_FAULTS } from '../../world/faults/fault.ts'
import { type FaultFlags, faultInputs } from '../fault-input.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { keyAddress } from '../key-address.ts'
import { type RemoteOutput, remote } from '../remote.ts'

export function register(command: Command, io: Io): void {
  remote(
    command.command('list', { isDefault: true }).description('list the rules in order (the default)'),
    io,
    (client) => list(client, io),
    { reads: true, views: true },
  )
  const add = command.command('add').description('append a rule; the first rule that matches a request acts')
  remote<FaultFlags>(addFlags(add), io, async (given, { url, namespace, controlToken, json, ...flags }) => {
    const { client, key } = keyAddress(given, flags.key)
    const rules = faultInputs({ ...flags, ...(key !== undefined && { key }) })
    const answers: ControlResponse<FaultRule>[] = []
    // One after the other: the first rule that matches acts, so their order counts.
    for (const body of rules) answers.push(await client.call('POST', '/faults', { body }))
    const made = answers.map(({ value }) => value)
    const [one] = answers
    const answer = one && answers.length === 1 ? one : { text: stringifyJson(made) }
    return { answer, people: table(made, io) }
  })
  addExamples(
    add,
    'faults add --operation createPet --status 503 --retry-after 5 --times 2',
    'faults add --latency 100ms-300ms --probability 0.1 --for 30s',
    'faults add --operation listPets --hold-until-operation createPet --when after --times 1',
    'faults add --operation createPet --wire reset --when after',
    `faults add --status 503 --code maintenance --message 'Back at noon.'`,
    `faults add --rule '{"match":{"path":"/pets/*"},"effect":{"status":500}}'`,
  )
  remote(
    command.command('remove').description('remove a rule').argument('<id>'),
    io,
    async (client, _, id = '') => ({
      answer: await client.call('DELETE', '/faults/{id}', { params: { path: { id } } }),
      people: `Removed ${id}.\n`,
    }),
  )
  remote(command.command('clear').description('remove every rule'), io, async (client) => ({
    answer: await client.call('DELETE', '/faults'),
    people: `Removed every fault of namespace ${client.namespace}.\n`,
  }))
  addExamples(
    command,
    'faults',
    'faults add --operation createPet --status 503 --times 2',
    'faults remove fault_1',
  )
}

const addFlags = (add: Command): Command =>
  add
    .option('--operation <operationId>', 'only this operation, such as createPet')
    .option('--method <method>', 'only this method')
    .option('--path <path>', 'only this path, with or without /v1; a trailing * matches anything')
    .option('--key <key>', 'only this API key')
    .option('--status <status>', 'effect: an error response with this status')
    .option('--retry-after <seconds>', 'Retry-After header; needs --status')
    .option('--code <code>', 'code of the error; needs --status')
    .option('--message <text>', 'message of the error; needs --status')
    .option('--latency <duration|min-max>', 'effect: the response is delayed, such as 200ms or 100ms-300ms')
    .addOption(new Option('--wire <fault>', 'effect: the connection fails').choices(WIRE_FAULTS))
    .option(
      '--hold-until-operation <operationId>',
      'effect: hold the request until this operation has been answered',
    )
    .option('--hold-until-released', 'effect: hold the request until holds release')
    .option('--hold-timeout <duration>', 'longest time to hold, in real time (default: 10s)')
    .addOption(
      new Option('--when <time>', 'before the request is carried out, or after it').choices([
        'before',
        'after',
      ]),
    )
    .option('--times <count>', 'how often the rule acts (default: always)')
    .option('--for <duration>', 'how long the rule acts, in virtual time, such as 30s')
    .option('--probability <share>', 'share of matching requests to act on, from 0 to 1')
    .option(
      '--rule <json>',
      'the whole rule as JSON, or a list of them as faults list --json prints it, instead of all of these',
    )

async function list(client: ControlClient, io: Io): Promise<RemoteOutput> {
  const answer = await client.call('GET', '/faults')
  const rules = answer.value
  return {
    answer,
    people: rules.length > 0 ? table(rules, io) : `No faults in namespace ${client.namespace}.\n`,
  }
}

function table(rules: readonly FaultRule[], { paint, columns }: Io): string {
  const rows = rules.map(({ id, match = {}, effect, when = 'before', times, probability = 1, acted }) => [
    id,
    pairs(match) || 'every request',
    pairs(effect),
    when,
    times === undefined ? String(acted) : `${acted} of ${times}`,
    String(probability),
  ])
  return textTable(['ID', '~MATCH', '~EFFECT', 'WHEN', '>ACTED', '>PROBABILITY'], rows, paint.strong, columns)
}

const pairs = (members: object): string =>
  Object.entries(members)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ')
