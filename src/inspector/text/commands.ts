const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/

/** One word of a shell: as it is where that is safe, else between single quotes. */
export const quote = (word: string): string =>
  PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** What a command line has to say of the sandbox, where it differs from the defaults. */
export interface Address {
  readonly origin: string
  readonly namespace: string
  /** It takes calls with its token only, which stands in a variable of the shell. */
  readonly hasToken?: boolean
}

export const DEFAULT_ORIGIN = 'http://localhost:4010'

/** `petstore-sandbox clock advance 61s --namespace w1`: works where it is pasted. */
export function commandLine({ origin, namespace, hasToken }: Address, ...words: readonly string[]): string {
  const address = [
    ...(namespace === 'default' ? [] : ['--namespace', namespace]),
    ...(origin === DEFAULT_ORIGIN ? [] : ['--url', origin]),
  ]
  const line = ['petstore-sandbox', ...words, ...address].map(quote).join(' ')
  return hasToken ? `${line} --control-token "$PETSTORE_SANDBOX_CONTROL_TOKEN"` : line
}

interface Rule {
  readonly match?: object
  readonly effect: object
  readonly when?: string
  readonly times?: number
  readonly probability?: number
  readonly for?: string
}

const FLAGS: Readonly<Record<string, string>> = { operationId: 'operation', retryAfter: 'retry-after' }

/** The words of `faults add` for a rule; one that holds is given whole. */
export function faultWords(rule: Rule): string[] {
  const { match = {}, effect, when, times, probability } = rule
  if ('hold' in effect) return ['faults', 'add', '--rule', JSON.stringify(rule)]
  const members = { ...match, ...effect, when, times, probability, for: rule.for }
  const given = Object.entries(members).filter(([, value]) => value !== undefined)
  return ['faults', 'add', ...given.flatMap(([name, value]) => [`--${FLAGS[name] ?? name}`, String(value)])]
}
