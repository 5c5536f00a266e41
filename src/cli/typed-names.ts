import type { Command } from 'commander'
import type { FieldError } from '../contract/generated/control.types.d.ts'
import { isObject } from '../contract/openapi/json.ts'
import { listed } from '../text/listed.ts'

/** An option or argument that the user gave: `--search`, `<request>`. */
interface Typed {
  readonly shown: string
  readonly name: string
  readonly value: unknown
}

/**
 * The errors of a call with the options and arguments of the command in place of the fields of the API; undefined if the
 * user typed none for one of them. `sent`: the parameters and members of the call.
 */
export function inTypedNames(
  errors: readonly FieldError[],
  sent: Readonly<Record<string, unknown>>,
  command: Command,
): string | undefined {
  const typed = typedOf(command)
  const texts = errors.map(({ field, reason }) => {
    const path = field.split('.')
    const last = path.at(-1)
    const whole = typed.find(({ name }) => name === last) ?? typedAs(valueAt(sent, path), typed)
    if (whole) return `${whole.shown}: ${reason}`
    const outer = typed.find(({ name }) => name === path[0])
    return outer && `${outer.shown}: ${path.slice(1).join('.')} ${reason}`
  })
  const known = texts.filter((text) => text !== undefined)
  return known.length === texts.length ? listed(known) : undefined
}

function typedOf(command: Command): readonly Typed[] {
  const options = command.options.map((option) => {
    const name = option.attributeName()
    const isGiven = command.getOptionValueSource(name) === 'cli'
    return {
      shown: option.long ?? option.flags,
      name,
      value: isGiven ? command.getOptionValue(name) : undefined,
    }
  })
  const given = command.registeredArguments.map((argument, i) => {
    const name = argument.name()
    return { shown: `<${name}>`, name, value: command.processedArgs[i] }
  })
  return [...options, ...given].filter(({ value }) => value !== undefined)
}

/** The option or argument with this value, unless several have it. */
function typedAs(value: unknown, typed: readonly Typed[]): Typed | undefined {
  const [only, another] = typed.filter((each) => String(each.value) === String(value))
  return another ? undefined : only
}

const valueAt = (inside: unknown, path: readonly string[]): unknown =>
  path.reduce((value, name) => (isObject(value) ? value[name] : undefined), inside)
