import { openCore } from '../../src/compose/core.ts'
import { replayedOptions } from '../../src/config/recorded-options.ts'
import type { Internals } from '../../src/past/internals.ts'
import { RecordingReader } from '../../src/past/parse-recording.ts'
import { instantOf, type ReplayResult, replayRecording } from '../../src/past/replay-recording.ts'

export { createCore } from '../../src/core.ts'

/** Replays a recording in a core, and compares each reply. `seen`: receives the parts of the core afterwards. */
export async function replayText(
  text: string,
  seen: (internals: Internals) => void = () => {},
): Promise<ReplayResult | undefined> {
  const reader = new RecordingReader()
  for (const line of text.split('\n')) reader.read(line)
  const { recording } = reader
  const { head, commands } = recording
  let result: ReplayResult | undefined
  const { core } = await openCore(
    { ...replayedOptions(head.options), origin: head.origin },
    {
      replayed: { fixture: head.start.fixture, at: instantOf(head) },
      async beforeServing(internals) {
        result = await replayRecording(recording, commands, internals)
        seen(internals)
      },
    },
  )
  await core.close()
  return result
}
