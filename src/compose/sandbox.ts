import type { SandboxOptions } from '../config/options.ts'
import type { Middleware, SandboxHandler } from '../node/http/middleware.ts'
import { openSandbox } from './open-sandbox.ts'
import type { Sandbox, SandboxInfo } from './sandbox-object.ts'

export type { Middleware, Sandbox, SandboxHandler, SandboxInfo, SandboxOptions }

/**
 * Starts a sandbox. Rejects with a UsageError for an invalid option, a FixtureError, a DataFileError, a RecordingError,
 * or Node's error (such as EADDRINUSE) if it cannot listen.
 */
export async function createSandbox({ recording, ...options }: SandboxOptions = {}): Promise<Sandbox> {
  if (recording === undefined) return openSandbox(options)
  const { openReplay } = await import('./replay.ts')
  return (await openReplay(recording, {}, options)).sandbox
}
