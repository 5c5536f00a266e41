import { RecordingReader } from '../../src/past/parse-recording.ts'
import type { Recording } from '../../src/past/recording.ts'

/** Reads the text of a recording. */
export function parseRecording(text: string): Recording {
  const reader = new RecordingReader()
  for (const line of text.split('\n')) reader.read(line)
  return reader.recording
}
