import type { GenerateOptions } from '../contract/generate/generate-pets.ts'
import type { OpenApiDocument } from '../contract/openapi/document.ts'
import type { PetShape } from '../contract/openapi/pet-shape.ts'
import type { ControlDeps } from '../control/context.ts'
import type { Mocks } from '../prism/mocks.ts'
import type { CompleteFixture } from '../world/pets/fixture.ts'
import type { Handle } from '../world/traffic/message.ts'

/** The functions that the core needs from its runtime. */
export interface Platform
  extends Pick<
    ControlDeps,
    'slices' | 'timer' | 'onFailure' | 'fixtureNames' | 'page' | 'loopDelay' | 'hasOneNamespace'
  > {
  /** Resolves in the next turn of the event loop. */
  readonly turn: () => Promise<void>
  /** A built-in fixture. Rejects with a FixtureError. */
  readonly loadFixture: (name: string, shape: PetShape) => Promise<CompleteFixture>
  /** The text of `/llms.txt`, which describes the sandbox for agents. */
  readonly summary: () => Promise<string>
  readonly generate: (shape: PetShape, options: GenerateOptions) => Promise<CompleteFixture>
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
  /** The document of the control API. */
  readonly document: OpenApiDocument
}
