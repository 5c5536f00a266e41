import { isAbsolute, relative } from 'node:path'
import { type Resolved, resolveOptions } from '../config/resolve.ts'
import type { StartOptions } from '../config/settings.ts'
import { FLAG_NAMES, OPTIONS, type OptionName, unknownVariables, variableOf } from '../config/table.ts'
import { type Io, several } from './command.ts'

/** The options of `start` that commands themselves use. */
interface StartTakes {
  readonly '--port <number>': string
  readonly '--host <host>': string
  readonly '--db <file>': string
  readonly '--record <file>': string
  readonly '--ready-file <file>': string
}

/**
 * The options of `start`: all, or the named ones. `startOptions` validates their values. `defaults`, `summaries`: texts
 * that differ from those of `start`.
 */
export function startTakes(
  names: readonly OptionName[] = FLAG_NAMES,
  defaults: Readonly<Partial<Record<OptionName, string>>> = {},
  summaries: Readonly<Partial<Record<OptionName, string>>> = {},
): StartTakes {
  const parameters = names.map((name) => {
    const { flags = '', choices, repeatable, ...row } = OPTIONS[name]
    const summary = summaries[name] ?? row.summary
    const standard = defaults[name] ?? row.default
    const help = standard === undefined ? summary : `${summary} (default: ${standard})`
    const takes = { summary: help, ...(choices && { words: choices }), ...(repeatable && { read: several }) }
    return [flags, takes]
  })
  return Object.fromEntries(parameters)
}

/**
 * The options of a sandbox from flags, environment and configuration file. Names the configuration file that it reads
 * on stderr, and variables that look like options.
 */
export async function startOptions(
  flags: Readonly<Record<string, unknown>>,
  { env, cwd, talk }: Io,
  defaults?: StartOptions,
): Promise<Resolved> {
  const { set, controlOrigin, ...others } = flags
  for (const warning of unknownVariables(env))
    talk(`Warning: ${warning} petstore-sandbox start --help lists the options.\n`)
  const resolved = await resolveOptions({
    flags: { ...others, decisions: set, controlOrigins: controlOrigin },
    env,
    cwd,
    defaults,
  })
  if (resolved.configFile !== undefined) talk(`Configuration: ${shortPath(resolved.configFile, cwd)}\n`)
  return resolved
}

export const pick = <Name extends OptionName>(options: StartOptions, names: readonly Name[]) =>
  Object.fromEntries(names.filter((name) => name in options).map((name) => [name, options[name]])) as Pick<
    StartOptions,
    Name
  >

/** A path for messages: relative to the working directory if that is shorter. */
export function shortPath(file: string, cwd: string): string {
  const near = isAbsolute(file) ? relative(cwd, file) : file
  return near.length < file.length ? near : file
}

/** A note for the help of each command with these options. */
export const ENVIRONMENT = `
The options of start can also be set in the environment (${variableOf('port')},
${variableOf('decisions')}="a=b,c=d", …) or in
petstore-sandbox.config.{json,yaml,yml}. A flag overrides the environment, which
overrides the file.`
