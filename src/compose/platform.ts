import type { OpenApiDocument } from '../contract/openapi/document.ts'
import type { RecordShape } from '../contract/openapi/record-shape.ts'
import type { GenerateRequest, PageFiles } from '../control/context.ts'
import type { Mocks } from '../prism/mocks.ts'
import type { Slices } from '../time/slices.ts'
import type { Timer } from '../time/timer.ts'
import type { Fixture } from '../world/pets/fixture.ts'
import type { Handle } from '../world/traffic/message.ts'

/** The core takes these from the runtime that it runs in. */
export interface Platform {
  /** The version of the package. */
  readonly version: string
  /** The queue of all work that grows with its input. */
  readonly slices: Slices
  readonly timer: Timer
  /** Resolves in the next turn of the event loop. */
  readonly turn: () => Promise<void>
  /** Receives unexpected errors; no client sees them. */
  readonly onFailure: (error: unknown) => void
  /** The fixtures that ship. */
  readonly fixtureNames: readonly string[]
  /** One of them. Rejects with a FixtureError. */
  readonly loadFixture: (name: string, shape: RecordShape) => Promise<Fixture>
  readonly page: PageFiles
  /** The longest delay of the event loop since the last call, in seconds; undefined where it is not measured. */
  readonly loopDelay: () => number | undefined
  /** A description of the sandbox for agents (`/llms.txt`). */
  readonly summary: () => Promise<string>
  readonly generate: (shape: RecordShape, request: GenerateRequest) => Promise<Fixture>
  readonly mocks: (document: () => Promise<OpenApiDocument>) => Mocks
  /** Makes the tools for agents, which call this control API. */
  readonly mcp: (control: Handle, options: McpOptions) => Promise<(request: Request) => Promise<Response>>
}

export interface McpOptions {
  /** The control token of this sandbox. */
  readonly token: string | undefined
  readonly shutdown: AbortSignal
  /** The address at which the sandbox is reached. */
  readonly origin: () => string
}
