import { isAbsolute, relative } from 'node:path'
import { type Command, Option } from 'commander'
import { type Resolved, resolveOptions } from '../config/resolve.ts'
import type { StartOptions } from '../config/settings.ts'
import { FLAG_NAMES, OPTIONS, type OptionName, variableOf } from '../config/table.ts'
import { several } from './help.ts'
import type { Io } from './io.ts'

/**
 * Adds options of `start`: all, or those named. `startOptions` validates their values. `defaults` and `summaries`:
 * defaults and help texts that differ from those of `start`.
 */
export function addStartOptions(
  command: Command,
  names: readonly OptionName[] = FLAG_NAMES,
  defaults: Readonly<Partial<Record<OptionName, string>>> = {},
  summaries: Readonly<Partial<Record<OptionName, string>>> = {},
): Command {
  for (const name of names) {
    const { flags = '', choices, repeatable } = OPTIONS[name]
    const summary = summaries[name] ?? OPTIONS[name].summary
    const standard = defaults[name] ?? OPTIONS[name].default
    const option = new Option(flags, standard === undefined ? summary : `${summary} (default: ${standard})`)
    if (choices) option.argChoices = [...choices]
    if (repeatable) option.argParser(several)
    command.addOption(option)
  }
  return command.addHelpText('after', environmentHint)
}

/**
 * The options of a sandbox from flags, environment and configuration file. Names the configuration file that it reads
 * on stderr.
 */
export async function startOptions(
  flags: Readonly<Record<string, unknown>>,
  { env, cwd, talk }: Io,
  defaults?: StartOptions,
): Promise<Resolved> {
  const { set, controlOrigin, ...others } = flags
  const resolved = await resolveOptions({
    flags: { ...others, decisions: set, controlOrigins: controlOrigin },
    env,
    cwd,
    ...(defaults && { defaults }),
  })
  if (resolved.configFile !== undefined) talk(`Configuration: ${shownPath(resolved.configFile, cwd)}\n`)
  return resolved
}

/** The path relative to the working directory if that is shorter. */
export function shownPath(file: string, cwd: string): string {
  const near = isAbsolute(file) ? relative(cwd, file) : file
  return near.length < file.length ? near : file
}

const environmentHint = `
Each option can also be set in the environment (${variableOf('port')}, ${variableOf('decisions')}="a=b,c=d", …)
or in petstore-sandbox.config.{json,yaml}; a flag wins over the environment, which wins over the file.`
