import { ApiError } from '../world/api-error.ts'
import type { OperationContext, ReplyOf } from './operation.ts'
import type { StatusReply } from './reply.ts'

/** Everything of a namespace, to be replayed elsewhere. */
export function getRecording({ deps, world }: OperationContext<'getRecording'>): ReplyOf<'getRecording'> {
  if (!deps.recording)
    throw new ApiError(
      'not_implemented',
      'A proxy cannot record: another service has the state. Record a sandbox instead.',
    )
  return {
    status: 200,
    headers: ['Content-Type', 'application/jsonl', 'Cache-Control', 'no-store'],
    body: undefined,
    slices: deps.slices.text(deps.recording(world())),
  } satisfies StatusReply<200>
}
