import { shellWord } from '../../text/shell.ts'
import { DEFAULT_ORIGIN } from '../../world/traffic/address.ts'

/** `petstore-sandbox clock advance 61s --namespace w1`, for a shell. `hasToken`: a variable has the control token. */
export function commandLine(
  { origin, namespace, hasToken }: { origin: string; namespace: string; hasToken?: boolean },
  ...words: readonly string[]
): string {
  const address = [
    ...(namespace === 'default' ? [] : ['--namespace', namespace]),
    ...(origin === DEFAULT_ORIGIN ? [] : ['--url', origin]),
  ]
  const quoted = (each: readonly string[]) => each.map(shellWord)
  const token = hasToken ? ['--control-token', '"$PETSTORE_SANDBOX_CONTROL_TOKEN"'] : []
  // After `--`, options would be read as names.
  const end = words.at(-2) === '--' ? -2 : words.length
  const options = [...quoted([...words.slice(0, end), ...address]), ...token]
  return ['petstore-sandbox', ...options, ...quoted(words.slice(end))].join(' ')
}
