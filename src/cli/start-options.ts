import { isAbsolute, relative } from 'node:path'
import { type Command, Option } from 'commander'
import { type Resolved, resolveOptions } from '../config/resolve.ts'
import type { StartOptions } from '../config/settings.ts'
import { FLAG_NAMES, OPTIONS, type OptionName, variableOf } from '../config/table.ts'
import type { Io } from './io.ts'

/**
 * Adds options of `start`, all of them unless named. Their values are checked by `startOptions`. `defaults`: for
 * people, where they are others than those of `start`; `summaries`: what an option means to this command.
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
    if (repeatable) option.argParser((text: string, before: string[] = []) => [...before, text])
    command.addOption(option)
  }
  return command.addHelpText('after', environmentHint)
}

/**
 * What a command was told about a sandbox: by its flags, the environment and a configuration file, of which it says
 * which one it is.
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

/** A file as it is written from here, where that is shorter. */
export function shownPath(file: string, cwd: string): string {
  const near = isAbsolute(file) ? relative(cwd, file) : file
  return near.length < file.length ? near : file
}

const environmentHint = `
Each option can also be set in the environment (${variableOf('port')}, ${variableOf('decisions')}="a=b,c=d", …)
or in petstore-sandbox.config.{json,yaml}; a flag wins over the environment, which wins over the file.`
