import { lstatSync, readFileSync } from 'node:fs'
import { dirname, extname, join, resolve } from 'node:path'
import { isObject } from '../contract/openapi/json.ts'
import { readJson } from '../fixtures/json.ts'
import { type ParsedText, ParseError } from '../fixtures/parsed-text.ts'
import { InvalidMembers } from '../text/advised-error.ts'
import { fileReason } from '../text/error.ts'
import { textOf, withoutMark } from '../text/utf8.ts'
import { foldDecisions, SANDBOX_OPTIONS } from './options.ts'
import { hasMembers } from './readers.ts'
import type { SandboxOptions, StartOptions } from './settings.ts'
import {
  flagOf,
  OPTION_NAMES,
  OPTIONS,
  type OptionName,
  readEnvironment,
  readOptions,
  refuseUnknown,
} from './table.ts'
import { together, UsageError } from './usage-error.ts'

/** All options of `start`, from all sources. */
export interface Resolved extends ReturnType<typeof merge> {
  /** Adds file and line to an error of `opening` about the faults or keys, which only a configuration file has. */
  readonly located: <T>(opening: Promise<T>) => Promise<T>
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
export async function resolveOptions(places: Places): Promise<Resolved> {
  const { flags, env, cwd, defaults = { log: 'pretty' } } = places
  const [fromFlags = {}, fromEnv = {}] = together([
    () => readOptions(flags, flagOf),
    () => readEnvironment(env),
  ])
  const named = fromFlags.config ?? fromEnv.config
  const configFile = named === undefined ? findConfig(cwd) : resolve(cwd, named)
  const { options: fromFile, located } =
    configFile === undefined
      ? { options: {}, located: async <T>(opening: Promise<T>) => opening }
      : await readConfig(configFile)
  if (named === undefined && configFile !== undefined && dirname(configFile) !== resolve(cwd))
    refuseFromAbove(fromFile, configFile)
  return { ...merge([defaults, fromFile, fromEnv, fromFlags], configFile), located }
}

/** `places`: the options by source, those with the lowest precedence first. */
function merge(places: readonly StartOptions[], configFile: string | undefined) {
  const all: Readonly<Record<string, unknown>> & StartOptions = Object.assign({}, ...places)
  const decisions: Record<string, unknown> = Object.assign({}, ...places.map(foldDecisions))
  const folded = { limits: undefined, strict: undefined, decisions, db: dataFileOf(places) }
  const own = Object.fromEntries(SANDBOX_OPTIONS.map((name) => [name, all[name]]))
  const options: SandboxOptions = { ...own, ...folded }
  return { options, readyFile: all.readyFile, configFile }
}

/** `db` or `memory`, from the source with the higher precedence; undefined for memory. */
function dataFileOf(places: readonly StartOptions[]): string | undefined {
  const place = places.findLast(({ db, memory }) => db !== undefined || memory !== undefined)
  if (place?.memory && place.db !== undefined)
    throw new UsageError(`memory uses no data file, but db names ${place.db}`, 'Use one of the two')
  if (place?.memory) return undefined
  return places.findLast(({ db }) => db !== undefined)?.db ?? DATA_FILE
}

const CONFIG_FILES = ['json', 'yaml', 'yml'].map((ending) => `petstore-sandbox.config.${ending}`)

/** The configuration file in a folder, or in the nearest one above it. */
function findConfig(folder: string): string | undefined {
  const [found, another] = CONFIG_FILES.map((name) => join(folder, name)).filter(isThere)
  if (found && another)
    throw new UsageError(`${found} and ${another} both exist`, 'Remove one, or select one with --config')
  const parent = dirname(folder)
  return found ?? (parent === folder ? undefined : findConfig(parent))
}

/** Whether there is a file, or a link, even to nothing. A folder that this user cannot search has none. */
function isThere(file: string): boolean {
  try {
    return lstatSync(file) !== undefined
  } catch {
    return false
  }
}

/** Reads a configuration file. Its paths are relative to it. Throws a UsageError with lines, which only a slower parser finds. */
async function readConfig(
  file: string,
): Promise<Pick<Resolved, 'located'> & { readonly options: StartOptions }> {
  const isYaml = ['.yaml', '.yml'].includes(extname(file))
  const { value, linesOf } = await parseConfig(file, readConfigText(file), isYaml)
  // An empty YAML file has the value null.
  const values: unknown = value === null && isYaml ? {} : value
  const names: readonly string[] = OPTION_NAMES.filter((name) => OPTIONS[name].schema !== null)
  if (!isObject(values))
    throw new UsageError(`${file}: the configuration is not an object`, `Options: ${names.join(', ')}`)
  const read = async (parts: readonly Part[], lines: readonly number[] = []) =>
    together(
      parts.map(({ path: [name = ''], value }, i) => () => {
        const place = `${file}:${lines[i]}`
        if (names.includes(name)) return readOptions({ [name]: value }, () => `${place}, ${name}`)
        return refuseUnknown({ [name]: value }, names, place)
      }),
    )
  const { $schema: _, ...others } = values
  const whole = Object.entries(others).map(([name, value]) => ({ path: [name], value }))
  const options = await read(whole).catch(async (error: unknown) => {
    const parts = whole.flatMap(membersOf)
    // Throws the errors with their lines.
    await read(parts, await linesOf(parts.map(({ path }) => path)))
    throw error
  })
  return {
    options: placed(Object.assign({}, ...options), dirname(file)),
    located: (opening) =>
      opening.catch(async (error: unknown) => {
        const { cause }: { readonly cause?: unknown } = Object(error)
        if (!(cause instanceof InvalidMembers)) throw error
        const { problems } = cause
        const lines = await linesOf(problems.map(({ path }) => path))
        throw new UsageError(problems.map(({ text }, i) => `${file}:${lines[i]}, ${text}`).join('\n'))
      }),
  }
}

/** An option of a configuration file, or one member of it. */
interface Part {
  readonly path: readonly string[]
  readonly value: unknown
}

/** Each member of an option that is an object, such as decisions, alone: its error gets its line. */
const membersOf = ({ path, value }: Part): Part[] =>
  hasMembers(value) && OPTIONS[path[0] as OptionName]?.schema?.type === 'object'
    ? Object.entries(value).map(([name, each]) => ({ path: [...path, name], value: { [name]: each } }))
    : [{ path, value }]

/** Options that are dangerous in another user's file further up: access from other machines, loss of pets. */
const NOT_FROM_ABOVE = ['host', 'controlToken', 'fresh'] as const satisfies (keyof StartOptions)[]

/** Throws a UsageError for options that a file in a folder above must not have. */
function refuseFromAbove(options: StartOptions, file: string): void {
  const found = NOT_FROM_ABOVE.filter((name) => options[name] !== undefined)
  if (found.length === 0) return
  const problem = `${file}: ${found.join(', ')} cannot be set in a configuration file of a parent folder`
  throw new UsageError(problem, `Start in its folder, or select it: --config ${file}`)
}

function readConfigText(file: string): string {
  let text: string | undefined
  try {
    text = textOf(readFileSync(file))
  } catch (error) {
    throw new UsageError(`${file}: ${fileReason(error)}`, 'Select another file with --config')
  }
  if (text === undefined || text.includes('\0'))
    throw new UsageError(`${file}: this is not UTF-8 text`, 'Save it as UTF-8 text')
  return withoutMark(text)
}

/** The parser of YAML is loaded here, because few starts need it. */
async function parseConfig(file: string, text: string, isYaml: boolean): Promise<ParsedText> {
  try {
    return await (isYaml ? (await import('../fixtures/yaml.ts')).readYaml(text) : readJson(text))
  } catch (error) {
    const [fault] = error instanceof ParseError ? error.problems : []
    throw fault ? new UsageError(`${file}:${fault.line}: ${fault.reason}`) : error
  }
}

export function placed(options: StartOptions, folder: string): StartOptions {
  const inFolder = (path: string) => resolve(folder, path)
  const entries = Object.entries(options).map(([name, value]) => {
    const { kind } = OPTIONS[name as OptionName]
    if (kind === undefined || (kind === 'fixture' && !isFile(value))) return [name, value]
    return [name, Array.isArray(value) ? value.map(inFolder) : inFolder(value)]
  })
  return Object.fromEntries(entries)
}

/** Whether a fixture is a file: it has a slash or a dot. Built-in names have none. */
export const isFile = (fixture: string): boolean => /[./\\]/.test(fixture)
