import { didYouMean } from '../contract/decisions/nearest.ts'
import { decisionSchemas, limitSchemas } from './decision-schemas.ts'
import * as read from './readers.ts'
import type { LogForm, StartOptions } from './settings.ts'
import { at, together, UsageError } from './usage-error.ts'

/** One option of `start`. Flags, environment, configuration file and its JSON Schema come from these rows. */
export interface OptionRow<T> {
  /** In commander's syntax; the long one also names the environment variable. Without flags: in a file only. */
  readonly flags?: string
  readonly summary: string
  /** The default as shown to people; the actual one is where the option is used. */
  readonly default?: string
  readonly choices?: readonly string[]
  /** A flag that can be given several times. */
  readonly repeatable?: true
  /** `path`: relative to the configuration file that contains it; `fixture`: the same, unless it is a name. */
  readonly kind?: 'path' | 'fixture'
  /** The schema of the member in a configuration file; null if a file cannot have it. */
  readonly schema: Readonly<Record<string, unknown>> | null
  readonly read: read.Reader<T>
}

const LOG_FORMS = ['pretty', 'json', 'silent'] as const satisfies LogForm[]

const TEXT = { type: 'string', minLength: 1 }

/** Schema and reader of options of one kind. */
const text = { schema: TEXT, read: read.readText }
const path = { ...text, kind: 'path' } as const
const yesOrNo = { schema: { type: 'boolean' }, read: read.readSwitch }

export const OPTIONS: {
  readonly [Name in keyof StartOptions]-?: OptionRow<NonNullable<StartOptions[Name]>>
} = {
  port: {
    flags: '-p, --port <number>',
    summary: 'port to listen on; 0 = any free one',
    default: '4010',
    schema: { type: 'integer', minimum: 0, maximum: 65535 },
    read: read.readPort,
  },
  host: {
    flags: '-H, --host <host>',
    summary: 'address to listen on',
    default: 'localhost',
    ...text,
  },
  cert: {
    flags: '--cert <file>',
    summary: 'serve HTTPS with this certificate (PEM); needs --key',
    ...path,
  },
  key: {
    flags: '--key <file>',
    summary: 'private key of --cert (PEM)',
    ...path,
  },
  db: {
    flags: '--db <file>',
    summary: 'data file',
    default: '.petstore-sandbox/db.json',
    ...path,
  },
  memory: {
    flags: '--memory',
    summary: 'keep everything in memory, without a data file',
    ...yesOrNo,
  },
  fixture: {
    flags: '-f, --fixture <name|file>',
    summary:
      'what a data file that holds nothing yet begins with: default, empty, sold-out, busy, edge-cases or a file',
    default: 'default',
    kind: 'fixture',
    ...text,
  },
  fresh: {
    flags: '--fresh',
    summary: 'begin from the fixture even where the data file holds pets',
    ...yesOrNo,
  },
  acceptDataFile: {
    flags: '--accept-data-file',
    summary: 'take the data file as it is, without a log that does not belong to it; the log is kept as .bak',
    schema: null,
    read: read.readSwitch,
  },
  limits: {
    flags: '--limits <plan=perMinute/perDay>',
    summary: 'requests of a plan, each a number or unlimited; repeatable',
    repeatable: true,
    schema: {
      type: 'object',
      properties: limitSchemas,
      additionalProperties: false,
    },
    read: read.readLimits,
  },
  decisions: {
    flags: '--set <decision=value>',
    summary: 'decide what the interface leaves open (see: petstore-sandbox decisions); repeatable',
    repeatable: true,
    schema: {
      type: 'object',
      properties: decisionSchemas,
      additionalProperties: false,
    },
    read: read.readDecisions,
  },
  strict: {
    flags: '--strict',
    summary: 'refuse unknown parameters and fields; the same as --set unknown=reject',
    ...yesOrNo,
  },
  overlay: {
    flags: '--overlay <file>',
    summary: 'OpenAPI Overlay 1.0 file to apply to the interface; repeatable, applied in their order',
    repeatable: true,
    kind: 'path',
    schema: { anyOf: [TEXT, { type: 'array', items: TEXT }] },
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
    summary: 'where the clock starts, such as 2030-12-04T23:59:50Z',
    schema: { type: 'string', examples: ['2030-12-04T23:59:50Z'] },
    read: read.readNow,
  },
  freeze: {
    flags: '--freeze',
    summary: 'start with the clock frozen',
    ...yesOrNo,
  },
  seed: {
    flags: '--seed <number>',
    summary: 'seed of all chance',
    default: '1',
    schema: { type: 'integer', minimum: 0 },
    read: read.readSeed,
  },
  maxState: {
    flags: '--max-state <size>',
    summary: 'most memory that the pets of all namespaces may take, such as 256MiB or 1GiB',
    default: '256MiB',
    schema: { type: 'string', examples: ['256MiB', '1GiB'] },
    read: read.readSize,
  },
  expire: {
    flags: '--expire <duration>',
    summary: 'drop namespaces other than default that nobody has used for so long, such as 7d',
    schema: { type: 'string', examples: ['7d', '12h'] },
    read: read.readExpiry,
  },
  log: {
    flags: '--log <form>',
    summary: 'how each request is logged',
    default: 'pretty',
    choices: LOG_FORMS,
    schema: { enum: LOG_FORMS },
    read: read.readWord(...LOG_FORMS),
  },
  readyFile: {
    flags: '--ready-file <file>',
    summary: 'file that gets one JSON line once the sandbox is ready',
    ...path,
  },
  controlToken: {
    flags: '--control-token <token>',
    summary: 'ask for this bearer token on the control API, which is then open to other machines',
    schema: TEXT,
    read: read.readToken,
  },
  faults: {
    summary: 'fault rules that every namespace begins with, as faults add --rule takes them',
    schema: { type: 'array', items: { $ref: '#/$defs/FaultInput' } },
    read: read.readList,
  },
  keys: {
    summary: 'API keys that are valid from the start, beside those of the fixture and of the data file',
    schema: { type: 'array', items: { $ref: '#/$defs/Key' } },
    read: read.readList,
  },
  controlOrigins: {
    flags: '--control-origin <origin>',
    summary:
      'origin whose pages may call the control API with its token, such as http://localhost:6006; repeatable',
    repeatable: true,
    schema: { type: 'array', items: { type: 'string' }, minItems: 1 },
    read: read.readOrigins,
  },
  record: {
    flags: '--record <file>',
    summary: 'record everything in a file (.jsonl or .jsonl.gz) that petstore-sandbox replay takes',
    kind: 'path',
    schema: null,
    read: read.readRecordFile,
  },
  keepKeys: {
    flags: '--keep-keys',
    summary: 'leave API keys in the recording as they are, instead of pseudonyms',
    schema: null,
    read: read.readSwitch,
  },
  config: {
    flags: '--config <file>',
    summary: 'configuration file',
    default: 'petstore-sandbox.config.{json,yaml}, looked for upward from here',
    schema: null,
    read: read.readText,
  },
}

export type OptionName = keyof StartOptions

export const OPTION_NAMES = Object.keys(OPTIONS) as OptionName[]

/** The options of the command line and the environment. */
export const FLAG_NAMES = OPTION_NAMES.filter((name) => OPTIONS[name].flags !== undefined)

/** `--ready-file` */
export const flagOf = (name: OptionName): string => /--[a-z-]+/.exec(OPTIONS[name].flags ?? '')?.[0] ?? ''

/** `PETSTORE_SANDBOX_READY_FILE` */
export const variableOf = (name: OptionName): string =>
  `PETSTORE_SANDBOX_${flagOf(name).slice(2).replaceAll('-', '_').toUpperCase()}`

/** Reads every given value; throws a UsageError that begins with the source of the invalid one. */
export function readOptions(
  values: Readonly<Record<string, unknown>>,
  where: (name: OptionName) => string,
): StartOptions {
  const given = OPTION_NAMES.filter((name) => values[name] !== undefined)
  return Object.fromEntries(
    together(
      given.map((name) => () => [name, at(where(name), () => OPTIONS[name].read(values[name]))] as const),
    ),
  )
}

/** The variables PETSTORE_SANDBOX_PORT and so on; an empty one counts as absent. */
export function readEnvironment(env: Readonly<Record<string, unknown>>): StartOptions {
  const values = FLAG_NAMES.map((name) => [name, env[variableOf(name)] || undefined])
  return readOptions(Object.fromEntries(values), variableOf)
}

/** Throws a UsageError that lists the valid names if `values` has an unknown one. */
export function refuseUnknown(values: object, names: readonly string[], where: string): void {
  const unknown = Object.keys(values).filter((name) => !names.includes(name))
  together(
    unknown.map((name) => () => {
      throw new UsageError(
        `${where}: there is no option "${name}"`,
        `${didYouMean(name, names)} Options: ${names.join(', ')}`,
      )
    }),
  )
}
