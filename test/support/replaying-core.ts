import { openCore } from '../../src/compose/core.ts'
import { replayedOptions } from '../../src/config/recorded-options.ts'
import { RecordingReader } from '../../src/past/parse-recording.ts'
import { instantOf, type ReplayResult, replayRecording } from '../../src/past/replay-recording.ts'

export { createCore } from '../../src/core.ts'

/** Replays a recording in a core, and compares each reply. */
export async function replayText(text: string): Promise<ReplayResult | undefined> {
  const reader = new RecordingReader()
  for (const line of text.split('\n')) reader.read(line)
  const { recording } = reader
  const { head, commands } = recording
  const at = instantOf(head)
  let clock = () => at
  let result: ReplayResult | undefined
  const { core } = await openCore(
    { ...replayedOptions(head.options), origin: head.origin, clock: () => clock() },
    {
      replayed: { fixture: head.start.fixture, at },
      async beforeServing(internals) {
        result = await replayRecording(recording, commands, internals, (instant) => {
          clock = () => instant
        })
      },
    },
  )
  await core.close()
  return result
}
