import type { AnyCall } from '../client/any-call.ts'
import type { SchemaObject } from '../contract/openapi/document.ts'
import type { ToolSchemas } from './schemas.ts'

/** A sandbox that the tools act on. */
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
  /** False if none was started here. */
  readonly stop: () => Promise<boolean>
}

export type Arguments = Readonly<Record<string, unknown>>

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly reads?: true
  /** It waits for a client, which may be about to create the namespace. */
  readonly waits?: true
  readonly properties: (schemas: ToolSchemas) => Readonly<Record<string, SchemaObject>>
  readonly required?: readonly string[]
  readonly run: (target: Target, given: Arguments) => Promise<object>
}
