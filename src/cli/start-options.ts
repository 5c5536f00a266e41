import { type Command, Option } from 'commander'
import { type Resolved, resolveOptions } from '../config/resolve.ts'
import type { StartOptions } from '../config/settings.ts'
import { OPTIONS, type OptionName, variableOf } from '../config/table.ts'
import type { Io } from './io.ts'

/**
 * Adds options of `start`, all of them unless named. Their values are checked by `startOptions`. `defaults`: for
 * people, where they are others than those of `start`.
 */
export function addStartOptions(
  command: Command,
  names = Object.keys(OPTIONS) as OptionName[],
  defaults: Readonly<Partial<Record<OptionName, string>>> = {},
): Command {
  for (const name of names) {
    const { flags, summary, choices, repeatable } = OPTIONS[name]
    const standard = defaults[name] ?? OPTIONS[name].default
    const option = new Option(flags, standard === undefined ? summary : `${summary} (default: ${standard})`)
    if (choices) option.argChoices = [...choices]
    if (repeatable) option.argParser((text: string, before: string[] = []) => [...before, text])
    command.addOption(option)
  }
  return command.addHelpText('after', environmentHint)
}

/** What a command was told about a sandbox: by its flags, the environment and a configuration file. */
export function startOptions(
  flags: Readonly<Record<string, unknown>>,
  { env, cwd }: Io,
  defaults?: StartOptions,
): Promise<Resolved> {
  const { set, controlOrigin, ...others } = flags
  const named = { ...others, decisions: set, controlOrigins: controlOrigin }
  return resolveOptions({ flags: named, env, cwd, ...(defaults && { defaults }) })
}

const environmentHint = `
Each option can also be set in the environment (${variableOf('port')}, ${variableOf('decisions')}="a=b,c=d", …)
or in petstore-sandbox.config.{json,yaml}; a flag wins over the environment, which wins over the file.`
