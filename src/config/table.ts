import { DECISION_NAMES, DECISIONS, defaultOf } from '../contract/decisions/decisions.ts'
import { didYouMean } from '../contract/decisions/nearest.ts'
import { PLAN_NAMES } from '../world/plan.ts'
import { DEFAULT_PORT } from '../world/traffic/address.ts'
import * as read from './readers.ts'
import type { LogForm, StartOptions } from './settings.ts'
import { at, choose, together, UsageError } from './usage-error.ts'

/** One option of `start`. Flags, environment, configuration file and its JSON Schema come from these rows. */
export interface OptionRow<T> {
  /** In the syntax of commander; the long flag names the environment variable. None: for files or code only. */
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

const LOG_FORMS = ['pretty', 'json', 'silent'] as const satisfies LogForm[]

const TEXT = { type: 'string', minLength: 1 }
const TEXTS = { anyOf: [TEXT, { type: 'array', items: TEXT }] }

const text = (flags: string, summary: string, standard?: string) => ({
  flags,
  summary,
  ...(standard !== undefined && { default: standard }),
  schema: TEXT,
  read: read.readText,
})

const file = (flags: string, summary: string, standard?: string) =>
  ({ ...text(flags, summary, standard), kind: 'path' }) as const

const flag = (flags: string, summary: string) => ({
  flags,
  summary,
  schema: { enum: read.SWITCH },
  read: read.readSwitch,
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
  port: {
    flags: '-p, --port <number>',
    summary: 'port to listen on; 0 = any free port',
    default: String(DEFAULT_PORT),
    schema: { type: 'integer', minimum: 0, maximum: 65535 },
    read: read.readPort,
  },
  host: text('-H, --host <host>', 'address to listen on', 'localhost'),
  cert: file('--cert <file>', 'certificate for HTTPS (PEM); needs --key'),
  key: file('--key <file>', 'private key of the certificate (PEM)'),
  db: file('--db <file>', 'data file', '.petstore-sandbox/db.json'),
  memory: flag('--memory', 'keep everything in memory, without a data file'),
  fixture: {
    ...text(
      '-f, --fixture <name|file>',
      'fixture for a new data file: default, empty, sold-out, busy, edge-cases or a file',
      'default',
    ),
    kind: 'fixture',
  },
  fresh: flag('--fresh', 'start from the fixture, and replace the pets in the data file'),
  acceptDataFile: {
    ...flag('--accept-data-file', 'use a data file that was edited, without its change log (kept as .bak)'),
    schema: null,
  },
  limits: {
    flags: '--limits <plan=perMinute/perDay>',
    summary: 'limits of a plan, each a number or unlimited; repeatable',
    repeatable: true,
    schema: members(limitSchemas),
    read: read.readLimits,
  },
  decisions: {
    flags: '--set <decision=value>',
    summary: 'set a decision (list them with: petstore-sandbox decisions); repeatable',
    repeatable: true,
    schema: members(decisionSchemas),
    read: read.readDecisions,
  },
  strict: flag('--strict', 'refuse unknown parameters and fields; the same as --set unknown=reject'),
  overlay: {
    flags: '--overlay <file>',
    summary: 'OpenAPI Overlay file for the interface; repeatable, applied in the given order',
    repeatable: true,
    kind: 'path',
    schema: TEXTS,
    read: read.readTexts,
  },
  latency: {
    flags: '--latency <duration|min-max>',
    summary: 'delay of every response, such as 200ms or 100ms-300ms',
    schema: { type: 'string', examples: ['200ms', '100ms-300ms'] },
    read: read.readLatencyText,
  },
  now: {
    flags: '--now <instant>',
    summary: 'start time of the clock, such as 2030-12-04T23:59:50Z',
    schema: { type: 'string', examples: ['2030-12-04T23:59:50Z'] },
    read: read.readNow,
  },
  freeze: flag('--freeze', 'start with the clock frozen'),
  seed: {
    flags: '--seed <number>',
    summary: 'seed for random values',
    default: '1',
    schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    read: read.readSeed,
  },
  maxState: {
    flags: '--max-state <size>',
    summary:
      'memory limit for pets, keys and fault rules of all namespaces, and for snapshots in memory, such as 256MiB or 1GiB',
    default: '256MiB',
    schema: {
      type: ['string', 'integer'],
      minimum: 0,
      pattern: '^\\d+(KiB|MiB|GiB)?$',
      examples: ['256MiB', '1GiB'],
    },
    read: read.readSize,
  },
  expire: {
    flags: '--expire <duration>',
    summary: 'drop namespaces that are not used for this time, such as 7d; the namespace default stays',
    schema: { type: 'string', examples: ['7d', '12h'] },
    read: read.readExpiry,
  },
  log: {
    flags: '--log <form>',
    summary: 'format of the request log',
    default: 'pretty',
    choices: LOG_FORMS,
    schema: { enum: LOG_FORMS },
    read: read.readWord(...LOG_FORMS),
  },
  readyFile: file('--ready-file <file>', 'file to write one JSON line to when the sandbox is ready'),
  controlToken: {
    ...text(
      '--control-token <token>',
      'token that the control API requires; other machines can then use it, too',
    ),
    read: read.readToken,
  },
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
    schema: TEXTS,
    read: read.readOrigins,
  },
  record: {
    flags: '--record <file>',
    summary: 'record all requests in a .jsonl or .jsonl.gz file, for petstore-sandbox replay',
    kind: 'path',
    schema: null,
    read: read.readRecordFile,
  },
  keepKeys: {
    ...flag('--keep-keys', 'keep API keys in every recording; by default they are replaced'),
    schema: null,
  },
  config: {
    ...text(
      '--config <file>',
      'configuration file',
      'petstore-sandbox.config.{json,yaml,yml} in this folder or one above it',
    ),
    schema: null,
  },
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

/** Variables for other parts of this project, and those that Kubernetes and Docker set for a service of that name. */
const NO_OPTIONS = /^PETSTORE_SANDBOX_(?:URL|PUBLIC|DETACHED|(?:SERVICE|PORT|ENV)_.*|NAME)$/

/** A warning for each variable that looks like an option but is not one. */
export function unknownVariables(env: Readonly<Record<string, unknown>>): string[] {
  const known = FLAG_NAMES.map(variableOf)
  return Object.keys(env)
    .filter((name) => /^PETSTORE_SANDBOX_\w*$/.test(name) && !known.includes(name) && !NO_OPTIONS.test(name))
    .map((name) => `${name} is not used: it is not an option.${didYouMean(name, known)}`)
}

/** Throws a UsageError that lists the valid names if `values` has an unknown one. */
export function refuseUnknown(values: object, names: readonly string[], where: string): void {
  if (!read.hasMembers(values))
    throw new UsageError(
      `${where}: ${read.shown(values)} is not an object with options`,
      choose('Options', names, ''),
    )
  const refuse = (name: string): never => {
    throw new UsageError(`${where}: there is no option "${name}"`, choose('Options', names, name))
  }
  const unknown = Object.keys(values).filter((name) => !names.includes(name))
  together(unknown.map((name) => () => refuse(name)))
}
