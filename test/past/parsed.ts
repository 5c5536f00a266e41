import { type Recording, RecordingReader } from '../../src/past/recording.ts'

/** What a text is read to. */
export function parseRecording(text: string): Recording {
  const reader = new RecordingReader()
  for (const line of text.split('\n')) if (!reader.read(line)) break
  return reader.recording
}
