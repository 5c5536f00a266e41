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
