import { type Recording, RecordingReader } from '../../src/past/recording.ts'

/** Reads the text of a recording. */
export function parseRecording(text: string): Recording {
  const reader = new RecordingReader()
  for (const line of text.split('\n')) if (!reader.read(line)) break
  return reader.recording
}
