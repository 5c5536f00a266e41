import type { AnyCall } from '../client/control.ts'
import type { SchemaObject } from '../contract/openapi/document.ts'

/** The sandbox that the tools act on. */
export interface Target {
  /** `http://localhost:4010` */
  readonly origin: () => string
  /** Calls its control API; rejects with a ControlError or an Unreachable. */
  readonly call: AnyCall
}

/** Starts and stops sandboxes; available only if the tools run in their own process. */
export interface Processes {
  /** Selects the sandbox at this address for the following calls. */
  readonly use: (url: string) => void
  readonly start: (options: Readonly<Record<string, unknown>>) => Promise<void>
  /** Returns false if no sandbox was started here. */
  readonly stop: () => Promise<boolean>
}

export type Arguments = Readonly<Record<string, unknown>>

export interface Tool {
  readonly name: string
  readonly description: string
  readonly reads?: boolean
  /** Whether the tool waits for a client, which may be about to create the namespace. */
  readonly waits?: (given: Arguments) => boolean
  /** Whether the control API validates the arguments. */
  readonly isValidated?: true
  readonly properties: Readonly<Record<string, SchemaObject>>
  readonly required?: readonly string[]
  readonly run: (target: Target, given: Arguments) => Promise<object>
}

/** The arguments of a tool are wrong. */
export class InvalidArguments extends Error {
  override readonly name = 'InvalidArguments'
}
