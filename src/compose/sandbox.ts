import { SANDBOX_OPTIONS, type SandboxOptions } from '../config/options.ts'
import { refuseUnknown } from '../config/table.ts'
import type { Middleware, SandboxHandler } from '../node/http/middleware.ts'
import { openSandbox, type Sandbox, type SandboxInfo } from './open-sandbox.ts'

export type { Middleware, Sandbox, SandboxHandler, SandboxInfo, SandboxOptions }

/**
 * Starts a sandbox. Rejects with a UsageError for an invalid option, a FixtureError, an OverlayError, a DataFileError, a
 * RecordingError, or Node's error (such as EADDRINUSE) if it cannot listen.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  refuseUnknown(options, [...SANDBOX_OPTIONS, 'recording'], 'createSandbox')
  const { recording, ...others } = options
  if (recording === undefined) return openSandbox(others)
  const { openReplay } = await import('./replay.ts')
  return (await openReplay(recording, {}, others)).sandbox
}
