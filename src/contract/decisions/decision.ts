import type { Policy } from '../../world/policy.ts'

/** The path of a member of a policy: `list.limit`, `orders`. */
export type DecisionName = {
  [Group in keyof Policy]: Policy[Group] extends string ? Group : `${Group}.${keyof Policy[Group] & string}`
}[keyof Policy]

/** The value of a policy at a path. */
export type ValueOf<Name> = Name extends `${infer Group extends keyof Policy}.${infer Member}`
  ? Policy[Group][Member & keyof Policy[Group]]
  : Policy[Name & keyof Policy]

/** The forms in which the value of a decision is read and shown. */
export interface ValueFormat<T> {
  /** The choices, for people. */
  readonly choices: string
  /** The choices that are literal words. */
  readonly words: readonly string[]
  /** An addition to the error message for a refused value. */
  readonly more?: string
  /** The unknown part of a refused value; undefined if there is none. */
  readonly unknownIn?: (value: unknown) => string | undefined
  /** The JSON Schema of the value in a configuration file. */
  readonly schema: Readonly<Record<string, unknown>>
  /** Parses a text or a value of a configuration file; undefined if it is not a valid choice. */
  readonly read: (value: unknown) => T | undefined
  /** The value as text, as `read` parses it. A method, so that a format of any value is a format of unknown values. */
  write(value: T): string
}

/** A question that the interface leaves open, with its choices and its default. */
export interface DecisionRow<T> extends ValueFormat<T> {
  /** The section of the interface. */
  readonly section: string
  readonly question: string
  /** As text; by default the first word. */
  readonly default?: string
  readonly why: string
}
