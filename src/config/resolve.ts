import { dirname, resolve } from 'node:path'
import { findConfig, readConfig, refuseFromAbove } from './file.ts'
import { foldDecisions, SANDBOX_OPTIONS } from './options.ts'
import type { SandboxOptions, StartOptions } from './settings.ts'
import { flagOf, readEnvironment, readOptions } from './table.ts'
import { together, UsageError } from './usage-error.ts'

/** All options of `start`, from all sources. */
export interface Resolved {
  readonly options: SandboxOptions
  readonly readyFile: string | undefined
  readonly configFile: string | undefined
}

export interface Places {
  /** The flags by name of their option. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Defaults of a command that differ from those of `start`; the source with the lowest precedence. */
  readonly defaults?: StartOptions
}

const DATA_FILE = '.petstore-sandbox/db.json'

/** Flags override the environment, which overrides the configuration file. Throws a UsageError. */
export async function resolveOptions({
  flags,
  env,
  cwd,
  defaults = { log: 'pretty' },
}: Places): Promise<Resolved> {
  const [fromFlags = {}, fromEnv = {}] = together([
    () => readOptions(flags, flagOf),
    () => readEnvironment(env),
  ])
  const named = fromFlags.config ?? fromEnv.config
  const configFile = named === undefined ? findConfig(cwd) : resolve(cwd, named)
  const fromFile = configFile === undefined ? {} : await readConfig(configFile)
  if (named === undefined && configFile !== undefined && dirname(configFile) !== resolve(cwd)) {
    refuseFromAbove(fromFile, configFile)
  }
  return merge([defaults, fromFile, fromEnv, fromFlags], configFile)
}

/** `places`: the options by source, those with the lowest precedence first. */
function merge(places: readonly StartOptions[], configFile: string | undefined): Resolved {
  const all: Readonly<Record<string, unknown>> & StartOptions = Object.assign({}, ...places)
  const decisions: Record<string, unknown> = Object.assign({}, ...places.map(foldDecisions))
  const folded = { limits: undefined, strict: undefined, decisions, db: dataFileOf(places) }
  const options = Object.fromEntries(SANDBOX_OPTIONS.map((name) => [name, all[name]]))
  return { options: { ...options, ...folded }, readyFile: all.readyFile, configFile }
}

/** `db` or `memory`, from the source with the higher precedence; undefined for memory. */
function dataFileOf(places: readonly StartOptions[]): string | undefined {
  const place = places.findLast(({ db, memory }) => db !== undefined || memory !== undefined)
  if (place?.memory && place.db !== undefined) {
    throw new UsageError(`--memory uses no data file, but --db names ${place.db}`, 'Use one of the two')
  }
  if (place?.memory) return undefined
  return places.findLast(({ db }) => db !== undefined)?.db ?? DATA_FILE
}
