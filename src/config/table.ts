import { DECISION_NAMES, DECISIONS, defaultOf } from '../contract/decisions/decisions.ts'
import { isObject } from '../contract/openapi/json.ts'
import { PLAN_NAMES } from '../world/plan.ts'
import { DEFAULT_PORT } from '../world/traffic/address.ts'
import * as read from './readers.ts'
import type { LogForm, StartOptions } from './settings.ts'
import { at, choose, together, UsageError } from './usage-error.ts'

/** One option of `start`. Flags, environment, configuration file and its JSON Schema come from these rows. */
export interface OptionRow<T> {
  /** In the syntax of commander; the long flag names the environment variable. Without: for files or code only. */
  readonly flags?: string
  readonly summary: string
  /** The default as text. The real one is in the code that uses the option. */
  readonly default?: string
  readonly choices?: readonly string[]
  /** A flag that can be given several times. */
  readonly repeatable?: true
  /** `path`: relative to its configuration file. `fixture`: the same, unless it is the name of a built-in one. */
  readonly kind?: 'path' | 'fixture'
  /** The schema of the option in a configuration file; null if a file cannot have it. */
  readonly schema: Readonly<Record<string, unknown>> | null
  readonly read: read.Reader<T>
}

/** The values of an option: their schema, how they are read, and how often and from where they are given. */
type Format<T> = Omit<OptionRow<T>, 'flags' | 'summary' | 'default'>

const LOG_FORMS = ['pretty', 'json', 'silent'] as const satisfies LogForm[]

const NON_EMPTY = { type: 'string', minLength: 1 }
const TEXT: Format<string> = { schema: NON_EMPTY, read: read.readText }
const FILE: Format<string> = { ...TEXT, kind: 'path' }
const SWITCH: Format<boolean> = { schema: { type: 'boolean' }, read: read.readSwitch }
const PORT: Format<number> = { schema: { type: 'integer', minimum: 0, maximum: 65535 }, read: read.readPort }
const SEED: Format<number> = { schema: { type: 'integer', minimum: 0 }, read: read.readSeed }
const LOG: Format<LogForm> = {
  choices: LOG_FORMS,
  schema: { enum: LOG_FORMS },
  read: read.readWord(...LOG_FORMS),
}

/** Texts such as these examples. */
const like = <T>(reader: read.Reader<T>, ...examples: string[]): Format<T> => ({
  schema: { type: 'string', examples },
  read: reader,
})

const option = <T>(format: Format<T>, flags: string, summary: string, standard?: string): OptionRow<T> => ({
  ...format,
  flags,
  summary,
  ...(standard !== undefined && { default: standard }),
})

/** A switch that only code can set. */
const inCode = (summary: string) => ({ summary, schema: null, read: read.readSwitch })

/** The schema of an object with these members. */
const members = (properties: object) => ({ type: 'object', properties, additionalProperties: false })

const decisionSchemas = Object.fromEntries(
  DECISION_NAMES.map((name) => {
    const { schema, question, why } = DECISIONS[name]
    return [name, { ...schema, description: `${question} (default: ${defaultOf(name)}) ${why}` }]
  }),
)

const limitSchemas = Object.fromEntries(PLAN_NAMES.map((plan) => [plan, decisionSchemas[`plans.${plan}`]]))

export const OPTIONS: {
  readonly [Name in keyof StartOptions]-?: OptionRow<NonNullable<StartOptions[Name]>>
} = {
  port: option(PORT, '-p, --port <number>', 'port to listen on; 0 = any free port', String(DEFAULT_PORT)),
  host: option(TEXT, '-H, --host <host>', 'address to listen on', 'localhost'),
  cert: option(FILE, '--cert <file>', 'certificate for HTTPS (PEM); needs --key'),
  key: option(FILE, '--key <file>', 'private key of the certificate (PEM)'),
  db: option(FILE, '--db <file>', 'data file', '.petstore-sandbox/db.json'),
  memory: option(SWITCH, '--memory', 'keep everything in memory, without a data file'),
  fixture: option(
    { ...TEXT, kind: 'fixture' },
    '-f, --fixture <name|file>',
    'fixture for a new data file: default, empty, sold-out, busy, edge-cases or a file',
    'default',
  ),
  fresh: option(SWITCH, '--fresh', 'start from the fixture, and replace the pets in the data file'),
  acceptDataFile: option(
    { ...SWITCH, schema: null },
    '--accept-data-file',
    'use a data file that was edited, without its change log (kept as .bak)',
  ),
  limits: option(
    { repeatable: true, schema: members(limitSchemas), read: read.readLimits },
    '--limits <plan=perMinute/perDay>',
    'limits of a plan, each a number or unlimited; repeatable',
  ),
  decisions: option(
    { repeatable: true, schema: members(decisionSchemas), read: read.readDecisions },
    '--set <decision=value>',
    'set a decision (list them with: petstore-sandbox decisions); repeatable',
  ),
  strict: option(
    SWITCH,
    '--strict',
    'refuse unknown parameters and fields; the same as --set unknown=reject',
  ),
  overlay: {
    flags: '--overlay <file>',
    summary: 'OpenAPI Overlay 1.0 file for the interface; repeatable, applied in the given order',
    repeatable: true,
    kind: 'path',
    schema: { anyOf: [NON_EMPTY, { type: 'array', items: NON_EMPTY }] },
    read: read.readTexts,
  },
  latency: option(
    like(read.readLatencyText, '200ms', '100ms-300ms'),
    '--latency <duration|min-max>',
    'delay of every response, such as 200ms or 100ms-300ms',
  ),
  now: option(
    like(read.readNow, '2030-12-04T23:59:50Z'),
    '--now <instant>',
    'start time of the clock, such as 2030-12-04T23:59:50Z',
  ),
  freeze: option(SWITCH, '--freeze', 'start with the clock frozen'),
  seed: option(SEED, '--seed <number>', 'seed for random values', '1'),
  maxState: option(
    like(read.readSize, '256MiB', '1GiB'),
    '--max-state <size>',
    'memory limit for the pets of all namespaces, such as 256MiB or 1GiB',
    '256MiB',
  ),
  expire: option(
    like(read.readExpiry, '7d', '12h'),
    '--expire <duration>',
    'drop unused namespaces after this time, such as 7d; default always stays',
  ),
  log: option(LOG, '--log <form>', 'format of the request log', 'pretty'),
  readyFile: option(FILE, '--ready-file <file>', 'file to write one JSON line to when the sandbox is ready'),
  controlToken: option(
    { ...TEXT, read: read.readToken },
    '--control-token <token>',
    'token that the control API requires; other machines can then use it, too',
  ),
  faults: {
    summary: 'fault rules of every new namespace, in the form that faults add --rule takes',
    schema: { type: 'array', items: { $ref: '#/$defs/FaultInput' } },
    read: read.readList,
  },
  keys: {
    summary: 'more API keys, in addition to those of the fixture and the data file',
    schema: { type: 'array', items: { $ref: '#/$defs/Key' } },
    read: read.readList,
  },
  controlOrigins: {
    flags: '--control-origin <origin>',
    summary:
      'origin of pages that may call the control API with its token, such as http://localhost:6006; repeatable',
    repeatable: true,
    schema: { type: 'array', items: { type: 'string' }, minItems: 1 },
    read: read.readOrigins,
  },
  record: option(
    { kind: 'path', schema: null, read: read.readRecordFile },
    '--record <file>',
    'record all requests in a .jsonl or .jsonl.gz file, for petstore-sandbox replay',
  ),
  keepKeys: option(
    { ...SWITCH, schema: null },
    '--keep-keys',
    'keep API keys in every recording; by default they are replaced',
  ),
  config: option(
    { ...TEXT, schema: null },
    '--config <file>',
    'configuration file',
    'petstore-sandbox.config.{json,yaml,yml} in this folder or one above it',
  ),
  listen: inCode('whether a port is opened'),
  control: inCode('whether a fetch handler has the control API'),
  trustForwarded: inCode('whether the host server adds forwarding header fields'),
}

export type OptionName = keyof StartOptions

export const OPTION_NAMES = Object.keys(OPTIONS) as OptionName[]

/** The options of the command line and the environment. */
export const FLAG_NAMES = OPTION_NAMES.filter((name) => OPTIONS[name].flags !== undefined)

/** `--ready-file` */
export const flagOf = (name: OptionName): string => /--[a-z-]+/.exec(OPTIONS[name].flags ?? '')?.[0] ?? ''

/** `PETSTORE_SANDBOX_READY_FILE`. */
export const variableOf = (name: OptionName): string =>
  `PETSTORE_SANDBOX_${flagOf(name).slice(2).replaceAll('-', '_').toUpperCase()}`

/** Reads every given value. Throws a UsageError that names the source of the invalid value. */
export function readOptions(
  values: Readonly<Record<string, unknown>>,
  where: (name: OptionName) => string,
): StartOptions {
  const given = OPTION_NAMES.filter((name) => values[name] !== undefined)
  const reads = given.map((name) => () => at(where(name), () => [name, OPTIONS[name].read(values[name])]))
  return Object.fromEntries(together(reads))
}

/** Reads the variables PETSTORE_SANDBOX_PORT and so on. An empty one counts as missing. */
export function readEnvironment(env: Readonly<Record<string, unknown>>): StartOptions {
  const values = FLAG_NAMES.map((name) => [name, env[variableOf(name)] || undefined])
  return readOptions(Object.fromEntries(values), variableOf)
}

/** Throws a UsageError that lists the valid names if `values` has an unknown one. */
export function refuseUnknown(values: object, names: readonly string[], where: string): void {
  if (!isObject(values))
    throw new UsageError(`${where}: "${values}" is not an object with options`, choose('Options', names, ''))
  const refuse = (name: string): never => {
    throw new UsageError(`${where}: there is no option "${name}"`, choose('Options', names, name))
  }
  const unknown = Object.keys(values).filter((name) => !names.includes(name))
  together(unknown.map((name) => () => refuse(name)))
}
