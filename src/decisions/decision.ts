import type { Policy } from '../domain/policy.ts'

/** `list.limit`, `orders`: the members of a policy by their path. */
export type DecisionName = {
  [Group in keyof Policy]: Policy[Group] extends string ? Group : `${Group}.${keyof Policy[Group] & string}`
}[keyof Policy]

/** The value that a policy has under a name. */
export type ValueOf<Name> = Name extends `${infer Group extends keyof Policy}.${infer Member}`
  ? Policy[Group][Member & keyof Policy[Group]]
  : Policy[Name & keyof Policy]

/** How a decision's value is given and shown. */
export interface ValueFormat<T> {
  /** What can be chosen, for people. */
  readonly choices: string
  /** The words among the choices that are meant literally. */
  readonly words: readonly string[]
  /** What a refused value is told beside the choices. */
  readonly more?: string
  /** The JSON Schema of the value in a configuration file. */
  readonly schema: Readonly<Record<string, unknown>>
  /** Reads a text, or what a configuration file has; undefined where it is none of the choices. */
  readonly read: (value: unknown) => T | undefined
  /** The value as the text that gives it. */
  readonly write: (value: T) => string
}

/** What the interface leaves open, and what the sandbox does about it. */
export interface DecisionRow<T> extends ValueFormat<T> {
  /** Of the interface. */
  readonly section: string
  readonly question: string
  /** As text. */
  readonly default: string
  readonly why: string
}
